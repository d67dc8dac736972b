internal import FlowEngine
internal import JOSE

/// A run as a page of its own: one file that needs nothing else, asks the network for nothing and works without script.
///
/// Its policy allows no source but its own style and script, each by its digest (Content Security Policy Level 3
/// §6.7.2.4), so that a text which slipped through unescaped would still do nothing.
struct PageReport: Sendable {
    private let run: RunRecord

    init(_ run: RunRecord) {
        self.run = run
    }

    var text: String { (head + body).text }

    // MARK: Head

    private var head: Markup {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="no-referrer">
        <meta name="robots" content="noindex">
        <title>\(title)</title>
        <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Ccircle cx='4' cy='4' r='4' fill='\(iconColour)'/%3E%3C/svg%3E">
        <style>\(PageStyle.text)</style>
        </head>

        """
    }

    private static let policy: String = {
        let digest = { (text: Markup) in "'sha256-\(Base64.encode(Digest.sha256(text.text.utf8)))'" }
        return [
            "default-src 'none'", "style-src \(digest(PageStyle.text))",
            "script-src \(digest(PageScript.text))", "img-src data:", "base-uri 'none'", "form-action 'none'",
        ].joined(separator: "; ")
    }()

    private var title: String {
        "\(run.start.flow) with \(run.start.provider): \(run.end?.end ?? "unfinished") – flowrun"
    }

    private var iconColour: String {
        run.isSuccess ? "%231a7a3c" : run.failure == nil ? "%23566272" : "%23b3261e"
    }

    // MARK: Body

    private var body: Markup {
        let sections: [(id: String, short: String, title: String, content: Markup)] = [
            ("failure", "Failure", "What went wrong", PageFailure(run).content),
            ("time", "Time", "Where the time went", PageTimeline(run).content),
            ("steps", "Steps", "Steps", PageSteps(run).content),
            ("messages", "Messages", "Who said what to whom", SequencePicture(Conversation(run)).content),
            ("states", "States", "The way through the flow", StatePicture(run)?.content ?? .empty),
            ("flow", "Flow", "The flow", PageSource(run).content),
            ("values", "Inputs and outputs", "Inputs and outputs", PageValues(run).content),
            ("secrets", "Secrets", "What is not in here", PageSecrets(run).content),
        ].filter { !$0.content.isEmpty }
        let links = sections.map { "<li><a href=\"#\($0.id)\">\($0.short)</a></li>\n" as Markup }
        let parts = sections.map { section -> Markup in
            """
            <section id="\(section.id)" aria-labelledby="\(section.id)-title">
            <h2 id="\(section.id)-title">\(section.title)</h2>
            \(section.content)</section>

            """
        }
        return """
            <body>
            <a class="skip" href="#main">Skip to the report</a>
            \(PageHeader(run).content)<nav aria-label="Sections"><ul>
            \(links)</ul></nav>
            <main id="main" tabindex="-1">
            \(parts)</main>
            <footer><p>Made by flowrun from the trace of run \(run.start.run). Needs no network and sends nothing.</p>
            <p class="keys" hidden>Keys: <kbd>j</kbd> and <kbd>k</kbd> next and previous step, <kbd>e</kbd> open or close all, <kbd>/</kbd> filter.</p></footer>
            <script>\(PageScript.text)</script>
            </body>
            </html>

            """
    }
}
