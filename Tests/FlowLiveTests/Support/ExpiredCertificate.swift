/// A function for the shell, `issue_expired NAME AUTHORITY`: of the request NAME.csr it makes NAME.own, a certificate of
/// AUTHORITY.crt that was over before now.
///
/// `openssl ca` takes any dates; `x509 -days -1` is refused since OpenSSL 3.4.
let expiredCertificate = """
    issue_expired() {
        : > index.txt
        printf '%s\\n' '[ca]' default_ca=own '[own]' database=index.txt new_certs_dir=. rand_serial=yes default_md=sha256 \\
            unique_subject=no policy=any copy_extensions=copy '[any]' commonName=supplied > authority.cnf
        openssl ca -batch -notext -config authority.cnf -cert $2.crt -keyfile $2.key -in $1.csr -out $1.own \\
            -startdate 20200101000000Z -enddate 20200201000000Z
    }
    """
