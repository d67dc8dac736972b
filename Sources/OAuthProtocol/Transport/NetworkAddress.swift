/// An IP address and what kind of network it belongs to.
package struct NetworkAddress: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case global
        /// Of this machine.
        case loopback
        /// Of a private network: RFC 1918, RFC 6598, unique local (RFC 4193), translated in one network (RFC 8215).
        case local = "private"
        /// Of one link: 169.254.0.0/16 (RFC 3927), fe80::/10.
        case linkLocal = "link-local"
        /// Where cloud machines read their own credentials.
        case metadata
        /// Unspecified, multicast, broadcast, reserved.
        case unusable
    }

    /// 16 bytes in network order; an IPv4 address is the last four after ::ffff:0:0/96.
    private let high: UInt64
    private let low: UInt64

    /// - Parameter v4: In host order.
    package init(v4: UInt32) {
        high = 0
        low = 0xFFFF_0000_0000 | UInt64(v4)
    }

    /// - Parameters: In host order, the first and the last eight bytes.
    package init(v6high high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package var kind: Kind {
        if let v4 = embedded { return Self.kind(of: v4) }
        if high == 0 { return low == 1 ? .loopback : .unusable }
        if Self.metadata6.contains(self) { return .metadata }
        // Which of its bits are an IPv4 address is for the network to choose.
        if high >> 16 == 0x0064_FF9B_0001 { return .local }
        switch high >> 48 {
        case 0xFC00...0xFDFF: return .local
        case 0xFE80...0xFEBF: return .linkLocal
        // Site-local, deprecated by RFC 3879.
        case 0xFEC0...0xFEFF: return .local
        case 0xFF00...0xFFFF: return .unusable
        default: return .global
        }
    }

    /// The IPv4 address that it stands for: mapped (RFC 4291 §2.5.5), behind NAT64 (RFC 6052 §2.1), 6to4 (RFC 3056).
    private var embedded: UInt32? {
        if high == 0, low >> 32 == 0xFFFF { return UInt32(truncatingIfNeeded: low) }
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { return UInt32(truncatingIfNeeded: low) }
        if high >> 48 == 0x2002 { return UInt32(truncatingIfNeeded: high >> 16) }
        return nil
    }

    /// fd00:ec2::254 and fd20:ce::254, of two large clouds.
    private static let metadata6: Set<NetworkAddress> = [
        NetworkAddress(v6high: 0xFD00_0EC2_0000_0000, low: 0x254),
        NetworkAddress(v6high: 0xFD20_00CE_0000_0000, low: 0x254),
    ]

    private static func kind(of v4: UInt32) -> Kind {
        switch v4 {
        // 169.254.169.254 and its neighbours; 100.100.100.200, 168.63.129.16 and 192.0.0.192, where some clouds have
        // theirs.
        case 0xA9FE_A9FE, 0xA9FE_AAFD...0xA9FE_AAFF, 0x6464_64C8, 0xA83F_8110, 0xC000_00C0: .metadata
        case 0x7F00_0000...0x7FFF_FFFF: .loopback
        case 0x0A00_0000...0x0AFF_FFFF, 0xAC10_0000...0xAC1F_FFFF, 0xC0A8_0000...0xC0A8_FFFF: .local
        case 0x6440_0000...0x647F_FFFF: .local
        case 0xA9FE_0000...0xA9FE_FFFF: .linkLocal
        case 0...0x00FF_FFFF, 0xE000_0000...0xFFFF_FFFF: .unusable
        default: .global
        }
    }
}

/// Which addresses a request may be sent to.
///
/// Link-local addresses, those of metadata services and unusable ones are never among them.
package enum AddressReach: Sendable, Hashable {
    /// All others: the address is written in a file that the user chose.
    case declared
    /// Global ones: the address came from the network.
    case published
    /// Global ones and those of this kind, which the issuer's own host has.
    case publishedNear(NetworkAddress.Kind)

    package func allows(_ kind: NetworkAddress.Kind) -> Bool {
        switch kind {
        case .global: true
        case .linkLocal, .metadata, .unusable: false
        case .loopback, .local:
            switch self {
            case .declared: true
            case .published: false
            // Whoever is on this machine sees its network as well; the reverse is not so.
            case .publishedNear(let near): near == kind || near == .loopback
            }
        }
    }
}
