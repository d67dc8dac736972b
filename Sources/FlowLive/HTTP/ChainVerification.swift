internal import CCurl
internal import COpenSSL
internal import OAuthProtocol

/// The policy's part in the verification of a server's certificate.
///
/// It runs inside the handshake, before the client's certificate or any byte of the request has left.
enum ChainVerification {
    /// Makes libcurl hand every TLS context of the transfer to OpenSSL with this verification.
    static func install(on transfer: CurlTransfer) {
        fr_setopt_ssl_ctx(transfer.easy, prepareContext)
        fr_setopt_pointer(
            transfer.easy, CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(transfer).toOpaque())
    }

    /// - Returns: 1 to go on, 0 to end the handshake, as OpenSSL wants it.
    fileprivate static func verify(_ store: OpaquePointer, _ transfer: CurlTransfer) -> Int32 {
        let isTrusted = X509_verify_cert(store)
        guard isTrusted == 1 else { return isTrusted }
        switch peer(of: store, transfer) {
        case .proxy: return 1
        case .host:
            if transfer.accepts(PeerChain.read(store)) { return 1 }
        case .unknown: break
        }
        X509_STORE_CTX_set_error(store, Int32(X509_V_ERR_APPLICATION_VERIFICATION))
        return 0
    }

    private enum Peer { case host, proxy, unknown }

    /// Whose certificate it is: an https proxy has a handshake of its own, under the same context function.
    ///
    /// Told by the name that libcurl itself has put into the handshake. An address has none there, and then the pins
    /// decide: a proxy that is mistaken for the host is refused, never the other way round.
    private static func peer(of store: OpaquePointer, _ transfer: CurlTransfer) -> Peer {
        let session = X509_STORE_CTX_get_ex_data(store, fr_tls_session_index())
        guard let session else { return .unknown }
        guard let name = fr_tls_server_name(session) else { return .host }
        if String(cString: name) == transfer.host { return .host }
        return transfer.isProxied ? .proxy : .unknown
    }
}

private func prepareContext(
    _ easy: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?,
    _ transfer: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let context, let transfer else { return CURLE_SSL_CERTPROBLEM }
    fr_tls_verify_with(context, verifyChain, transfer)
    return CURLE_OK
}

private func verifyChain(_ store: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let store, let context else { return 0 }
    return ChainVerification.verify(
        store, Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue())
}
