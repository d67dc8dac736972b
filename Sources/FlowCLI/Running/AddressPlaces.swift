internal import FlowEngine
internal import Glibc
internal import JOSE

/// Where the address goes that a person must open.
struct AddressPlaces: Sendable, Hashable {
    var opensBrowser = true
    var isPrinted = true
    var isDrawn = false
    var isCopied = false
    var file: String?

    init() {}

    /// - Parameters:
    ///   - words: As `--url-to` lists them.
    ///   - giver: The option, or the variable in its place.
    /// - Throws: The word that says nothing.
    init(words: [String], giver: String = "--url-to") throws(UsageError) {
        opensBrowser = false
        isPrinted = false
        for word in words {
            switch word {
            case "open": opensBrowser = true
            case "print": isPrinted = true
            case "qr": isDrawn = true
            case "clipboard": isCopied = true
            case let word where word.hasPrefix("file:") && word.utf8.count > 5:
                file = String(word.dropFirst(5))
            default:
                let known = ArgumentReader.suggestion(word, Self.words)
                throw UsageError(
                    "\(giver) knows no \"\(word)\"; it takes \(Self.words.joined(separator: ", "))PATH\(known)",
                    command: "login")
            }
        }
    }

    private static let words = ["open", "print", "qr", "clipboard", "file:"]
}

/// Brings the address to the clipboard of the terminal and into a file.
struct AddressSink: TraceSink {
    let places: AddressPlaces
    let surroundings: Surroundings
    /// Whether standard error takes nothing but events.
    let isSilent: Bool

    func receive(_ event: TraceEvent) {
        guard case .actionRequired(let action) = event.body else { return }
        if places.isCopied { copy(action.url) }
        if let file = places.file { write(action.url, to: FilePath.join(surroundings.directory, file)) }
    }

    private func copy(_ url: String) {
        guard surroundings.error.isTerminal else {
            // It has to be somewhere.
            let address = places.isPrinted || places.isDrawn || places.file != nil ? "" : ": \(url)"
            return say("the address is not copied, since no terminal is here\(address)")
        }
        surroundings.error.write(Clipboard.sequence(for: url, surroundings.environment))
        say("the address is in the clipboard of your terminal, if it allows that")
    }

    /// Whoever waits for the file sees all of it or nothing.
    private func write(_ url: String, to path: String) {
        do throws(FileProblem) {
            try FileReplacement.check(path)
            try FileReplacement.replaceOrMake(path, with: url + "\n")
            say("the address is in \(path)")
        } catch {
            // It has to be somewhere.
            let address = places.isPrinted || places.isDrawn ? "" : ": \(url)"
            surroundings.complain("the address could not be written: \(error)\(address)")
        }
    }

    private func say(_ text: String) {
        if !isSilent { surroundings.error.write("  \(text)\n") }
    }
}

/// The terminal's own clipboard, which is where the person is, however far away the program runs.
enum Clipboard {
    /// What makes a terminal copy the text: OSC 52 of xterm's control sequences, wrapped where tmux or screen is between.
    static func sequence(for text: String, _ environment: [String: String]) -> String {
        let plain = "\u{1B}]52;c;\(Base64.encode(Array(text.utf8)))\u{07}"
        if environment["TMUX"]?.isEmpty == false {
            // The one for tmux itself (set-clipboard), the other for what is around it (allow-passthrough).
            return plain + "\u{1B}Ptmux;" + plain.replacing("\u{1B}", with: "\u{1B}\u{1B}") + "\u{1B}\\"
        }
        guard environment["STY"]?.isEmpty == false else { return plain }
        return pieces(of: plain).map { "\u{1B}P\($0)\u{1B}\\" }.joined()
    }

    /// GNU screen drops strings that are longer than its buffer of 768 bytes.
    private static func pieces(of text: String) -> [String] {
        var pieces: [String] = []
        var rest = text[...]
        while !rest.isEmpty {
            pieces.append(String(rest.prefix(512)))
            rest = rest.dropFirst(512)
        }
        return pieces
    }
}
