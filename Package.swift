// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// One Swift target of the chain; a target may import only what it names here.
func layer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// - Parameter exclude: Folders of data, which tests read where they are.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], libraries: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["FlowTesting"], exclude: exclude, swiftSettings: settings,
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

let package = Package(
    name: "flowrun",
    products: [
        .library(
            name: "FlowEngine",
            targets: [
                "FlowEngine", "FlowReport", "FlowLive", "FlowFoundation", "FlowLanguage", "OAuthProtocol",
                "JOSE",
                "YAMLText",
            ]),
        .library(name: "FlowFiles", targets: ["FlowFiles"]),
        .executable(name: "flowrun", targets: ["flowrun"]),
        .executable(name: "flowbench", targets: ["flowbench"]),
    ],
    dependencies: [],
    targets: [
        .systemLibrary(
            name: "CYAML", pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        // Declarations only: libcurl, libmicrohttpd and libqrencode are loaded when they are needed, which in most commands
        // they are not. The TLS half of OpenSSL comes with libcurl.
        .systemLibrary(
            name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CMicroHTTPD",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .systemLibrary(
            name: "CQREncode", providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        // Declarations only: calls of the GNU C library that Swift's own module of it leaves out.
        .systemLibrary(name: "CLinux"),

        layer("YAMLText", ["CYAML"]),
        layer("JOSE", ["COpenSSL"]),
        layer("OAuthProtocol", ["JOSE", "CExpat"]),
        layer("FlowLanguage", ["YAMLText", "OAuthProtocol", "JOSE"]),
        layer("FlowEngine", ["FlowLanguage", "OAuthProtocol", "JOSE", "YAMLText"]),
        layer("FlowReport", ["FlowEngine", "OAuthProtocol", "JOSE"]),
        // Beside the chain: for embedding programs only, since the command does without Foundation.
        layer("FlowFoundation", ["FlowEngine"]),
        // At the top, since its resources are there: people look for flows and providers where they are.
        .target(
            name: "FlowFiles", dependencies: ["FlowEngine", "FlowLanguage", "YAMLText"], path: ".",
            exclude: ["Benchmarks", "README.md", "Scripts", "Tests"]
                + [
                    "CYAML", "CCurl", "COpenSSL", "CMicroHTTPD", "CSQLite", "CExpat", "CQREncode", "CLinux",
                    "YAMLText", "JOSE", "OAuthProtocol", "FlowLanguage", "FlowEngine", "FlowReport",
                    "FlowFoundation", "FlowSandbox", "FlowLive", "FlowCLI", "flowrun", "flowbench",
                ].map { "Sources/\($0)" },
            sources: ["Sources/FlowFiles"], resources: [.copy("flows"), .copy("providers")],
            swiftSettings: settings),
        layer("FlowSandbox", ["OAuthProtocol", "JOSE"]),
        layer(
            "FlowLive",
            [
                "FlowEngine", "FlowSandbox", "FlowLanguage", "OAuthProtocol", "JOSE", "CCurl", "COpenSSL",
                "CMicroHTTPD", "CSQLite", "CLinux",
            ]),
        layer(
            "FlowCLI",
            [
                "FlowReport", "FlowLive", "FlowSandbox", "FlowEngine", "FlowLanguage", "OAuthProtocol",
                "JOSE", "YAMLText",
                "CQREncode",
            ]),
        .executableTarget(name: "flowrun", dependencies: ["FlowCLI"], swiftSettings: settings),
        .executableTarget(
            name: "flowbench",
            dependencies: [
                "FlowReport", "FlowLive", "FlowEngine", "FlowLanguage", "OAuthProtocol", "JOSE", "YAMLText",
            ],
            swiftSettings: settings),

        .target(
            name: "FlowTesting",
            dependencies: [
                "FlowLive", "FlowSandbox", "FlowEngine", "FlowLanguage", "OAuthProtocol", "JOSE", "YAMLText",
            ],
            path: "Tests/FlowTesting", swiftSettings: settings),
        tests("YAMLTextTests", ["YAMLText"]),
        tests("JOSETests", ["JOSE"], exclude: ["Vectors"]),
        tests("OAuthProtocolTests", ["OAuthProtocol", "JOSE"]),
        tests("FlowLanguageTests", ["FlowLanguage", "OAuthProtocol", "JOSE", "YAMLText"]),
        tests("FlowEngineTests", ["FlowEngine", "FlowLanguage", "OAuthProtocol", "JOSE", "YAMLText"]),
        tests("FlowReportTests", ["FlowReport", "FlowEngine", "OAuthProtocol", "JOSE"]),
        tests("FlowSandboxTests", ["FlowSandbox", "OAuthProtocol", "JOSE"]),
        tests(
            "FlowLiveTests",
            [
                "FlowLive", "FlowFoundation", "FlowSandbox", "FlowEngine", "FlowLanguage", "OAuthProtocol",
                "JOSE", "YAMLText",
            ],
            libraries: ["ssl"]),
        // As an embedding program is written: what the guide to embedding shows is compiled here.
        tests(
            "FlowEmbeddingTests",
            [
                "FlowFiles", "FlowFoundation", "FlowLive", "FlowEngine", "FlowLanguage", "OAuthProtocol",
                "JOSE", "YAMLText",
            ]),
        tests(
            "FlowCLITests",
            [
                "FlowCLI", "FlowReport", "FlowLive", "FlowSandbox", "FlowEngine", "FlowLanguage",
                "OAuthProtocol", "JOSE", "YAMLText",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
