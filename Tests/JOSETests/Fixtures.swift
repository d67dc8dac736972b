/// Keys made for these tests alone, and tokens over `{"sub":"someone"}` that the Python package
/// `cryptography` signed with them.
enum Fixture {
    /// RSA 2048, PKCS#8.
    static let rsaPKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDcxHU5xosDD0aq
        W1Y8lMhS2LQP0Oeao1mlc2f9E77EfKd/o6jjnH1jnFcbezoT9EPFOKs2iDeF+505
        CsM9/5qyC5OTpX9+3Bvro4DB6KPKRPkBdvLDEw5DOPBFqTzEdboBLmpgDKHBq0bG
        ol3fLdrO6Vlh4pFZPsAoXjbrbfEIYV6PW9nsEIqeQJxA++fzD52imy9UU9cNauAE
        g7JXRfPq4IIYjxcpFP+NIy7b9yGBpxkbbA7O+kHquZmztI5BgWNvrmHSq9xPS61O
        PKr2TvqIBFib8+teRqguVwTSsG4SutuUCwtlvrrOCkzSrW/v7V9RxhC4cW1uOfQL
        jOe2z5rhAgMBAAECggEABfiIRR5CDzygCCZ9QBk0C82RnSXkxbFqUMe8xcL9c1n9
        u72E6VcHqySE1JjyGq0OEiz0sH5hpg2GlI7edfROTkdy39jniFpSpP5gkp4EpAlW
        hLwfV7hRt+63zOKFYrjeZX7IYL2muFK2ENQ+XrViSBtWkAetL7E7SDw4Fwj7rmLK
        50j40uWri/vSJXdU35iL871vYTkCYJWU4kfCZ/Eh9tbl1+335k5hZwV+p0192MS4
        mIZWU5+ePHRAqGRDgvBwQE9KOYwSg32ArJElBaXYr4C+XzVw3DsYGIZf4qd+I/1S
        cM93MkmkYo4zwh74iudthpfD8tYjKkh8Pfl62qA0AQKBgQD7WgqIWDsPmGAnQ5fu
        QBOQW6IK+EKPGnb2AgqisIdeuhIaOgDdQssXPEF14qAwWr4pSD0zrE/BuSrK7tGs
        mXyIYerZNTNuDC8vGc0XcktbcioO+Zag65xZhJpGH517gklQ0u6ztOg7C5/ZiewK
        SI9gCohBWqaP7kIzFkJa9nuAQQKBgQDg2Z+VVV6NMuKtRowBXUcTX8JQYzuVkOQ/
        iAx++hMD073qGMmcbrvCauTNcJ3oO2i0I+2q+V4LxghBkbKVg1dehTNRCJf6yEW0
        I5BZRMX5coOThDSyRHRjXxJnddqT5MuaelqpnhXg2/eVihONrbnvrU9/HxkSu71U
        IwsGokdyoQKBgFOkrhabTeQtr+nBC6EkP55tb+o4nWWjx+yr10A2gIXcY8PIg5sd
        7BmqWppRNT+CIv/34y377HqqFPx9JtdKKG/2LcHke13mvhjtfBuOVFd1EVv0YNTi
        MyBzCSfGw5BjVeSInRi+Xf2wK5yn0h3F8bhjKN6evQjun6cChEhi98xBAoGBAL0+
        jPEMLAtdU6mRIc8YKfUleI9eJc0paOIL6LCKW6yx7zrzZ+Sw0ni8rRw39795GRPc
        1XE8dqokH9jH/u2V4Ngd9eXy/K9HFluaPyjTGGltt05WTF/p+6eTYhMP/0rQm4jG
        CD6QXkul94i18OUi3cbbMHiGvPymZKBG6kXIGahhAoGADYZFqKUbkL36GG53poDx
        DlPrBmz/g6VAYp/qqvt4LtejBzeX9zUUfjiFULKHRCoYLOJSbmWV1JhQi6K32Z5j
        bhp95YBbVEG3MqTcJ1qnCsyH26o4PBqtGj4n0lqeP26E4Mg02WhrjLanZ+BdRj5r
        eZ7CGKS0x6gUJYF9dey14fE=
        -----END PRIVATE KEY-----
        """

    /// The same key in PKCS#1.
    static let rsaPKCS1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEA3MR1OcaLAw9GqltWPJTIUti0D9DnmqNZpXNn/RO+xHynf6Oo
        45x9Y5xXG3s6E/RDxTirNog3hfudOQrDPf+asguTk6V/ftwb66OAweijykT5AXby
        wxMOQzjwRak8xHW6AS5qYAyhwatGxqJd3y3azulZYeKRWT7AKF42623xCGFej1vZ
        7BCKnkCcQPvn8w+dopsvVFPXDWrgBIOyV0Xz6uCCGI8XKRT/jSMu2/chgacZG2wO
        zvpB6rmZs7SOQYFjb65h0qvcT0utTjyq9k76iARYm/PrXkaoLlcE0rBuErrblAsL
        Zb66zgpM0q1v7+1fUcYQuHFtbjn0C4znts+a4QIDAQABAoIBAAX4iEUeQg88oAgm
        fUAZNAvNkZ0l5MWxalDHvMXC/XNZ/bu9hOlXB6skhNSY8hqtDhIs9LB+YaYNhpSO
        3nX0Tk5Hct/Y54haUqT+YJKeBKQJVoS8H1e4Ubfut8zihWK43mV+yGC9prhSthDU
        Pl61YkgbVpAHrS+xO0g8OBcI+65iyudI+NLlq4v70iV3VN+Yi/O9b2E5AmCVlOJH
        wmfxIfbW5dft9+ZOYWcFfqdNfdjEuJiGVlOfnjx0QKhkQ4LwcEBPSjmMEoN9gKyR
        JQWl2K+Avl81cNw7GBiGX+KnfiP9UnDPdzJJpGKOM8Ie+IrnbYaXw/LWIypIfD35
        etqgNAECgYEA+1oKiFg7D5hgJ0OX7kATkFuiCvhCjxp29gIKorCHXroSGjoA3ULL
        FzxBdeKgMFq+KUg9M6xPwbkqyu7RrJl8iGHq2TUzbgwvLxnNF3JLW3IqDvmWoOuc
        WYSaRh+de4JJUNLus7ToOwuf2YnsCkiPYAqIQVqmj+5CMxZCWvZ7gEECgYEA4Nmf
        lVVejTLirUaMAV1HE1/CUGM7lZDkP4gMfvoTA9O96hjJnG67wmrkzXCd6DtotCPt
        qvleC8YIQZGylYNXXoUzUQiX+shFtCOQWUTF+XKDk4Q0skR0Y18SZ3Xak+TLmnpa
        qZ4V4Nv3lYoTja25761Pfx8ZEru9VCMLBqJHcqECgYBTpK4Wm03kLa/pwQuhJD+e
        bW/qOJ1lo8fsq9dANoCF3GPDyIObHewZqlqaUTU/giL/9+Mt++x6qhT8fSbXSihv
        9i3B5Htd5r4Y7XwbjlRXdRFb9GDU4jMgcwknxsOQY1XkiJ0Yvl39sCucp9IdxfG4
        Yyjenr0I7p+nAoRIYvfMQQKBgQC9PozxDCwLXVOpkSHPGCn1JXiPXiXNKWjiC+iw
        ilusse8682fksNJ4vK0cN/e/eRkT3NVxPHaqJB/Yx/7tleDYHfXl8vyvRxZbmj8o
        0xhpbbdOVkxf6funk2ITD/9K0JuIxgg+kF5LpfeItfDlIt3G2zB4hrz8pmSgRupF
        yBmoYQKBgA2GRailG5C9+hhud6aA8Q5T6wZs/4OlQGKf6qr7eC7Xowc3l/c1FH44
        hVCyh0QqGCziUm5lldSYUIuit9meY24afeWAW1RBtzKk3CdapwrMh9uqODwarRo+
        J9Janj9uhODINNloa4y2p2fgXUY+a3mewhiktMeoFCWBfXXsteHx
        -----END RSA PRIVATE KEY-----
        """

    /// P-256, SEC1.
    static let p256SEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIMK387PyW+iZaQ4qde5kp2Oxxvlpm9oIfYPweZW13ipKoAoGCCqGSM49
        AwEHoUQDQgAElo7abYlXXszzpZhvifhnwSkW4Kjan9nDjTWUmAFWDjigM9Ll03U5
        vka29d8SAjqHN+5QpCVXq0xeorG+22ToJg==
        -----END EC PRIVATE KEY-----
        """

    /// P-384, PKCS#8.
    static let p384PKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDChLACR4JcSNwdoGMAz
        scsyusGce9HTzZNcvor+oltLvtzKK04WIkJn2bpzbVkThRyhZANiAAT7MWSDaPIR
        j22JPoB5MNvE82+qRWLvcVsc8q66kIELO3OvBmvlk+PE6/MZFIB7qUsVfgOplPoR
        5Q5yetor2R7hbIb/D18pzSfqVduypNBN+wm+fCQQynuW0sZaKKXyr3A=
        -----END PRIVATE KEY-----
        """

    /// P-521, PKCS#8.
    static let p521PKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIBHHa8eiUnoCkcSAPd
        bQfUA9CVJchOu4swRxu0eoop6Hx6emg1zyeIrKYlbet4SmvRB2HWhnUeYnHejG9m
        E7PsfGehgYkDgYYABADhRTpUOVKCLPecKRBjFkWpf6Z4C/ONX6l9RuP626kK5+Pe
        ADT7EMCPPJBWQaSYHl4sLtBazzMHXzQ9omL8wYaEUACQIYaH1DVEDfQ4XTWpYa/Q
        XLch9Lv3QfFjwUnOtSbJ10O4UUX+LuHjAdHmGnecHPoakBRiPTIM66shhhCbRy+Y
        Zw==
        -----END PRIVATE KEY-----
        """

    /// Ed25519, PKCS#8.
    static let ed25519PKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIM+z9qWQF+1sTViP6Qmd8vzsEcB/l/LqdFYSUDmHzwPP
        -----END PRIVATE KEY-----
        """

    /// Ed448, PKCS#8.
    static let ed448PKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MEcCAQAwBQYDK2VxBDsEOaPCnYytffitxL0EP2BRR9sXNhKF1odRfB6mUPFnmVmy
        GQ0oNIewgKl8wcm5tZ8xWyRKHsRlQwap6A==
        -----END PRIVATE KEY-----
        """

    /// P-256, PKCS#8 encrypted with a passphrase.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIH0MF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBBGk+gR2Ntjyvs9byuQ
        C2vyAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQOeqh5/uoyGb8sKWw
        gSjDiQSBkC1l3mFr8yz3NdyUxlqVEdor7/s3FLLrAK17WT+LKCRaUBG7e86gz+nI
        e5ycD8K9l5PcSnxfHXfcqI3e9QcReA7tRfCb3Mkl4J75RZwosiUmrz6OPZ6ZR8dF
        pEKQT98zPer+8xBPn235N1lrHYXGokMMyQohwbEX8Y/tepiUQaq87GQ7b/HFng1m
        8A6+NvrBgA==
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// RSA 1024.
    static let weakRSA = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAMKT1untX5vDjJKw
        Ryotzoi24WU7D174hzlbjSk+PrT75Zzmw1TmKf+Z5zMFXjRwPAbdBy7suqg4xKWR
        cWphzzewVjCL9++x+1IwO7+HlWwjlNf/I7Hhk83hMXbzcR9ecXg+HPPo/UZmclWr
        atBJQiRxsS00KHrewbjgoSFIgYnbAgMBAAECgYEAtTndQaPFGN7ZXwawQajIZK1w
        4UhQ2LPBvrp2j6NZ5Fd5VNnZtIlrNJWzsOGfDFg8kGfs+NekQmodPdhpOhw/Uo81
        jJVskDrEaSZYUkinWB/F7qt47zNXAom/mNG7d1DL702gmUJ5LJcKkr+D/cnWWkDe
        MJPvVfAWQK0n66NkFQECQQDhd6d1gSECl9kx4j7YVQnUM8HAEhtuq+zzYcJBT+wK
        7wCBGoM+h9m41XEh3+Z0oCJFclOlUCAQDTMvBRYmi6BTAkEA3O1Q4EXuqapRSk39
        5UvsLZE06CNCHYYmtqSuhEeuEwJvCrdBWFBR+FYOs/2r+GG0xa0HHMT8zD0B9Ir2
        WahfWQJBANQuUaaQRet10Y1TWEcoCB7uMji6EZzeKRiF+FSUjRNhBn144Og42plK
        LLRvTCaXCImIZNVfCT1x3qgyRj0yC0cCQF4ZTptX7gGiI6GsenoRznTSJmDBs8Vz
        gEXG+vYoucIrBTThPRnqjB9kODr9zyOqKh8QRblBRhOP4KdSEP+7MXECQGdo5C7n
        y1bf/9AccCRZIfnfiSu2pMn1XkhViODc3F/2HZ3ZI15S/r6kCG2jPbb8kIi7u2Q5
        3D5Bc5oCaxg3Kcw=
        -----END PRIVATE KEY-----
        """

    /// The modulus of 1024 bits.
    static let weakModulus = """
        wpPW6e1fm8OMkrBHKi3OiLbhZTsPXviHOVuNKT4-tPvlnObDVOYp_5nnMwVeNHA8Bt0HLuy6qDjEpZFxamHPN7BWMI\
        v377H7UjA7v4eVbCOU1_8jseGTzeExdvNxH15xeD4c8-j9RmZyVatq0ElCJHGxLTQoet7BuOChIUiBids
        """

    /// A modulus of 2048 bits made for the exponent 3.
    static let exponent3Modulus = """
        qeEsl18gj_4jYKqYGQW8Da-UP5F-1Oj_NS25rnA9MruLEdnDqe3f__C65ZYot5zto9iPafxFL36Era47fUxEr7q4_h\
        24MAOa5L5QdQZ6KPf0vL4_it7X6ftJMBTkjqGAmnDVjeEIzuNZfO2ZXK69IKhQwGJ27Vln7FV0j7Af8InhMHysLd49\
        HEgv1M8Yk1Wx9kEmJHgpdSbAVqWtaez53XX5gCFvDOKkF7-xA-a4VwhGFthivGUG24TXemaGXPJjE-Tknp0OKiW5CY\
        0Fjugs2E9A5uqf_Xs3Iozj37jjpH2JYIVD8kElZr6kaCcwSRttYggI6AA_5q7jzO5kfsS0vQ
        """

    /// The RSA key as a private JWK.
    static let rsaPrivateJWK = """
        {"kty":"RSA","n":"3MR1OcaLAw9GqltWPJTIUti0D9DnmqNZpXNn_RO-xHynf6Oo45x9Y5xXG3s6E_RDxTirNog3\
        hfudOQrDPf-asguTk6V_ftwb66OAweijykT5AXbywxMOQzjwRak8xHW6AS5qYAyhwatGxqJd3y3azulZYeKRWT7AKF\
        42623xCGFej1vZ7BCKnkCcQPvn8w-dopsvVFPXDWrgBIOyV0Xz6uCCGI8XKRT_jSMu2_chgacZG2wOzvpB6rmZs7SO\
        QYFjb65h0qvcT0utTjyq9k76iARYm_PrXkaoLlcE0rBuErrblAsLZb66zgpM0q1v7-1fUcYQuHFtbjn0C4znts-a4Q\
        ","e":"AQAB","d":"BfiIRR5CDzygCCZ9QBk0C82RnSXkxbFqUMe8xcL9c1n9u72E6VcHqySE1JjyGq0OEiz0sH5h\
        pg2GlI7edfROTkdy39jniFpSpP5gkp4EpAlWhLwfV7hRt-63zOKFYrjeZX7IYL2muFK2ENQ-XrViSBtWkAetL7E7SD\
        w4Fwj7rmLK50j40uWri_vSJXdU35iL871vYTkCYJWU4kfCZ_Eh9tbl1-335k5hZwV-p0192MS4mIZWU5-ePHRAqGRD\
        gvBwQE9KOYwSg32ArJElBaXYr4C-XzVw3DsYGIZf4qd-I_1ScM93MkmkYo4zwh74iudthpfD8tYjKkh8Pfl62qA0AQ\
        ","p":"-1oKiFg7D5hgJ0OX7kATkFuiCvhCjxp29gIKorCHXroSGjoA3ULLFzxBdeKgMFq-KUg9M6xPwbkqyu7RrJl\
        8iGHq2TUzbgwvLxnNF3JLW3IqDvmWoOucWYSaRh-de4JJUNLus7ToOwuf2YnsCkiPYAqIQVqmj-5CMxZCWvZ7gEE",\
        "q":"4NmflVVejTLirUaMAV1HE1_CUGM7lZDkP4gMfvoTA9O96hjJnG67wmrkzXCd6DtotCPtqvleC8YIQZGylYNXX\
        oUzUQiX-shFtCOQWUTF-XKDk4Q0skR0Y18SZ3Xak-TLmnpaqZ4V4Nv3lYoTja25761Pfx8ZEru9VCMLBqJHcqE","d\
        p":"U6SuFptN5C2v6cELoSQ_nm1v6jidZaPH7KvXQDaAhdxjw8iDmx3sGapamlE1P4Ii__fjLfvseqoU_H0m10oob_\
        YtweR7Xea-GO18G45UV3URW_Rg1OIzIHMJJ8bDkGNV5IidGL5d_bArnKfSHcXxuGMo3p69CO6fpwKESGL3zEE","dq\
        ":"vT6M8QwsC11TqZEhzxgp9SV4j14lzSlo4gvosIpbrLHvOvNn5LDSeLytHDf3v3kZE9zVcTx2qiQf2Mf-7ZXg2B3\
        15fL8r0cWW5o_KNMYaW23TlZMX-n7p5NiEw__StCbiMYIPpBeS6X3iLXw5SLdxtsweIa8_KZkoEbqRcgZqGE","qi"\
        :"DYZFqKUbkL36GG53poDxDlPrBmz_g6VAYp_qqvt4LtejBzeX9zUUfjiFULKHRCoYLOJSbmWV1JhQi6K32Z5jbhp9\
        5YBbVEG3MqTcJ1qnCsyH26o4PBqtGj4n0lqeP26E4Mg02WhrjLanZ-BdRj5reZ7CGKS0x6gUJYF9dey14fE"}
        """

    /// Signed by another implementation.
    static let rs256 = """
        eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.WtT1miXNcT2SaTbM4a87hOgiccQy8wJ\
        U_KHuGVm6TqDThQU6VfbZ1LbvJU53eVQwGdDjuU_WGc59oQXSr2QVu375EdwcnRsRUpxVQwVhmvryk7_i_UlITZjNb\
        kfdhHqXq6l46ec2TRKnOos330qTyqr9XV7hFQ_xXlBQIrJn0XMAKFCyhhJnbzllBPcTqe14IPZqULWokNK8waKm2Yz\
        5_IKVUmeoeM5upaTXiCOZzN_ApyUMop2y4Q8Fz4fdmoIOGCXDYAIR4_0QFhkAI3d8ifOToAyKaDLWn-0Tq4hq12gM2\
        FRc7or6baaOL9tNd6K0q3hqjPYyFwTVuVHcUDnTgA
        """

    /// Signed by another implementation.
    static let ps256 = """
        eyJhbGciOiJQUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.Ex1Hdz2GiQOsUxuHzcRZRN-qiICIJmp\
        NHCLr3709yfT5SM11OOScm0FxUI9hUzg6XrCR78OaEl6LdumJ_ctLsO1YnkHohI2TbZ_BvuiVYLteJBF3B2vw8_95Q\
        VwhjFGlOveDL3kvj6jCu744mm-F2wowYNZIN6_ZT7HPqEDsnK5nZxxL9z0fiz8zreV4Bo4TyMmBNYYYyI_kjcJ26EK\
        WuhIKw1JHSGeE9GaKn7jAc_Tehbg8Jo0C4k_4HcnCGPdlqgApDSjzoFecyTZ2aI0UIQfgBJf0aO_tugnQoOpbhiGEf\
        rfJ1We1Wz2_rMWXsYqoJnhK96BtNQOhiwXeDikPGw
        """

    /// Signed by another implementation.
    static let rs384 = """
        eyJhbGciOiJSUzM4NCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.zQubSU4MlOgeh4qK14zx5dkvhKlju_W\
        kJHEB4wTUD0_c59VNi2wnDxorMpM1_Lfy59eay8GYOjCyL1dpk1e9qlaSZxhv_PJdzlEae-heBcHUtVZQVOUf8h-jE\
        cYJzq6PfoQCa-VOkxh-k90hVbN4JdSVv4Fl27RQO7L4UlXlnHibDcch8LuBYq9-rn4fYJq07XE0N9Jkw1gYiTMfKnh\
        Lmvcltzm-RAwlErNLr-farQF57dCPiKD5q2M4PQAfaUYHCYu_4H0Alwx30jL0VUuqU7k1VKdALkg61DHgiL4YwwqCs\
        74RVTTq8dLlSGC0WSWKxJOVwep0h_-xF83wpICZgg
        """

    /// Signed by another implementation.
    static let ps384 = """
        eyJhbGciOiJQUzM4NCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.h67UWbRAxdRetCh3sgjnzZ5yZbVFAm5\
        4Yhc_ZM8xfXDfrx9YlqbvBioL8Dphzt5GitZLlQ5_Wrnlf2aetktd47zX0dNohwJXePklAR27J4X1oq3K0Q95sG3xq\
        XR_VCH0kO0FETzhfOCz3HLkubS0a0Ys6kT4qdE7xn5YqlqPpPQxgsyTEtz9KgrGXneQQUyAAraaL2ydMr1bt8P_Und\
        yl5B24WTsrshZbgARRE7Qqlivr7RlU00Uo5Rc63SwjtYDtr1kNmgqYiAAt6zTtYQte57KANqVlYjZfafhM5ybjKQAB\
        E5fqBXne_Evf6MtOdwj1eTQFwn8G3tyuCClrqSO6g
        """

    /// Signed by another implementation.
    static let rs512 = """
        eyJhbGciOiJSUzUxMiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.Leri-72Qzt-lnD19mC93aOls_XBfmun\
        5Xj9VR26gBoY9cyHEXtOjst8RDMsWhkgK3xkgEs3y2Tm0VBcO4rN-zqTjxiuuC3Ie4uMjSGpPPFhDjBMyUBF_6DmXd\
        0cjABybQ976G3FUuPC2pu3NQnY51ny16sF7ojzNbh0XA5vl5-Ml9Cm8GEIDZDwSnWpGyHl6yDvYzVw5bpZV3o7VW6F\
        LWnEUsYwed-cE1ShS9yJpeGrogdrmY3VWnGHyUcRpJwPlM29JmvoCA4KCqFElgOw_ekmNDtSBWq1LwMHOR2giecqLQ\
        1AiIoOczk0AuDg0ynOQtQgqxr2qV-iT6tKLJNIeFw
        """

    /// Signed by another implementation.
    static let ps512 = """
        eyJhbGciOiJQUzUxMiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.kxDn_2DkVkYXhp-DcTWwBg987-XypDE\
        GNbJQTQi4hKCLBOu1EQisi7NT7r4uzbwEzXhQGHul7iwBLvvesuWQvgyttis3nkokXq8hmbGCqdZi8gGAGGCiG2aJ5\
        ZxfDOzgBUglMVM7AzZDUokKq-uD_F-2smtZdHrjcUnK_6eMTXb0PvwIUyOuO_bP97wO4rPvC7UoKquwoXdUXHApTyA\
        dqJ5UYOn4vvRfljcHGNCQvNAhUDXJwAp9hYivlUFPrUWTRZxLPPL6ZBtXOzyIUElBoxdoy5sVoHv2-BizPYNJmpJbC\
        PIIybFP2VQVDID01XZqc1wRlcOqymRm3NZNjwUeWA
        """

    /// Signed by another implementation.
    static let es256 = """
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.sOERHgyG2LK3EMi0OWnOX9Je9n1B_Ak\
        gfIk99Fld1i1W_QomOyuOFvQ0tyzrHyNIZt4ZofQCJU-S3P9Bc0znRg
        """

    /// Signed by another implementation.
    static let es384 = """
        eyJhbGciOiJFUzM4NCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.bhzehmzgura8R8Jcmms-NKbEJ9FDQEo\
        -cBOdLdFGEHiic0XwzeQ7ZW63KDVojmBU_CN3He90iA3O2EpJbiKrwS2kCquk1axELy3FLjBRuJJUkuAUu3s8sSGkZ\
        RR9NcgI
        """

    /// Signed by another implementation.
    static let es512 = """
        eyJhbGciOiJFUzUxMiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.AXpmKRnNA7iCy62lvLehYpF14RQQQxV\
        jiGWaD5uN-fRUfjOzvaHr-QrHhwR7xH2edUdXRN_2OlxhMsSOUUgX8h8gANdqdQXe64gkZMAMl0j3yH9mAPLWzVbe9\
        cEDFxXvfIeRETQPlFQLgN6SMrBkEHJ9wPy07SadrtTKSHRGFZvp07bV
        """

    /// Signed by another implementation.
    static let edDSA = """
        eyJhbGciOiJFZERTQSIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.BAEwiCw2pFYz9vNLEpJvOLHI616hubz\
        _n6yc9Qc6jSEbWcyh4cGFtUtQQvXSj_5-C-1dKvKIVAYX3Mf8bCcyDw
        """

    /// Signed by another implementation.
    static let ed448 = """
        eyJhbGciOiJFZDQ0OCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.s5vdZthgT0CgKyxZRLsS6e1qC4ygd9s\
        wBZ34ljruknp_5lHtBhR0Y-Q4guS59wYPB31KHIqQ5dUAxMz-rMZmTK6ufmnkCT2nBOTNejZxX-dGMN09JG7h6pYcD\
        lwGT-_3I4j6LizUTnklzwn4QcphowYA
        """

    /// Signed by another implementation.
    static let ps256ShortSalt = """
        eyJhbGciOiJQUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.1Eatw4pTMn2TyPdp4Uynqcm2O86l3AZ\
        W1B17X9wEUNoouzlBUaQz5zCNFlZW5qu_vbRzvPWjbJL9wOWPFDUjfio8Sy2dH_akfqTD2dda6lywUiQmlxbvI2xzG\
        -7ncuQ-61xPt1amCrtN6l8fX-xZPm0i8iuTaT8PNXf26UKG8n-Fo74UayHudcSQ0z-VSJuWYR5U9aa1cLSMXx0jEmN\
        NvAU_czz-JRhuM3r70j9Cy_-n1D9NXaK9D46hHpQo5XmAkAZsPYBH9UrIwExm7402Ddo9umDssrlijOl8DfhmxsSph\
        OYXjsAgZ-uv5RfkMQTqv5lsMHiVoOAWjM0YxbRAgA
        """

    /// Signed by another implementation.
    static let ps256OtherMGF = """
        eyJhbGciOiJQUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.flD2qU_I1DoV4CL-xAXQCj1tR6YBM4B\
        t87temkI6jMoqdML0R1mamXs1UOhv_1n2FAhxcx7vjgCleV9iwZssxeePrXT3S_xXMUgSGG2gybaCGii9qvWlZdshp\
        DcN9ujmXscHWz0caL3RuG6CVB35qpgHB3hy63VBSMp7QUctPSeKnvj8MMFCaNSNOm8TdSEqfZ6cEvgxfYgJjpDvcaW\
        9D0QJIbr8mYeo6XW4YQ_bFZ_02OBIbizXL6rv3fTQli9pbtys5abtxfDS-n_5Pg9FchWzlLKn25jsNh2CUJ28qk7_t\
        gxCjtdk5DuoA1wWZBrV_uWT-Ls_1RGL20JzOjlJKw
        """

    /// Signed by another implementation.
    static let es256DER = """
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIn0.MEYCIQDSBnDhCyxE0KA1DACl87YEGyu\
        Ll0Io20L7BfZ3fk52GgIhANwT1UGD_xIr_rASInRAZ4ZmC_7f5krl7jjmXpymdtCC
        """
}
