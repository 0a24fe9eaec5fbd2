//! Certificates: which files are accepted, and the errors about those that are not.

use std::path::{Path, PathBuf};

use super::*;

fn certificates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proxy/certificates")
}

/// A configuration whose files are the certificates for tests, with this table at the listener and
/// this one at the group.
fn parse(listener: &str, group: &str) -> Result<Config, String> {
    let text = format!(
        "[[listeners]]\naddress = \"127.0.0.1:8080\"\n{listener}\n\
         [[groups]]\nname = \"all\"\n{group}\n\
         [[groups.servers]]\naddress = \"127.0.0.1:8001\"\n"
    );
    Config::parse("proxy.toml", &certificates(), &text).map_err(|error| error.to_string())
}

/// The fields of a certificate.
fn pair(name: &str) -> String {
    format!("certificate = \"{name}.pem\", key = \"{name}.key\"")
}

/// What is wrong with this table at the listener, without the folder of the certificates.
#[track_caller]
fn problem(listener: &str) -> String {
    let error = parse(listener, "").unwrap_err();
    assert!(!error.contains('\n'), "{error}");
    error.replace(&format!("{}/", certificates().display()), "")
}

#[test]
fn one_certificate_or_several() {
    let (server, rsa, wild) = (pair("server"), pair("rsa"), pair("wild"));
    let one = parse(&format!("tls = {{ {server} }}"), "").unwrap();
    let tls = one.listeners[0].tls.as_ref().unwrap();
    assert_eq!(tls.certificates.len(), 1);
    assert_eq!(tls.clients, None);
    // The form that docs/proxy.toml shows: a list may have several lines.
    let several = format!(
        "tls = {{ certificates = [\n{{ {server} }}, # first\n{{ {rsa} }},\n{{ {wild} }},\n], \
         clients = {{ ca = \"clients.pem\" }} }}"
    );
    let several = parse(&several, "").unwrap();
    let tls = several.listeners[0].tls.as_ref().unwrap();
    let keys: Vec<_> = tls.certificates.iter().map(|files| &files.key).collect();
    let expected = ["server.key", "rsa.key", "wild.key"].map(|name| certificates().join(name));
    assert_eq!(keys, expected.iter().collect::<Vec<_>>());
    let clients = tls.clients.as_ref().unwrap();
    assert!(clients.required && !clients.forward);
    assert!(several.warnings().is_empty());
}

#[test]
fn errors_about_certificates_name_the_field() {
    let (server, exact) = (pair("server"), pair("exact"));
    for (listener, expected) in [
        (
            "tls = { certificate = \"server.pem\" }".to_owned(),
            "line 3: listeners.tls.key: it is missing: add it",
        ),
        (
            "tls = { }".to_owned(),
            "line 3: listeners.tls.certificate: it is missing: add it",
        ),
        (
            "tls = { certificate = \"server.pem\", key = \"exact.key\" }".to_owned(),
            "line 3: listeners.tls.key: the key in 'exact.key' cannot be used with that \
             certificate: keys may not be consistent: KeyMismatch",
        ),
        (
            "tls = { certificates = [] }".to_owned(),
            "line 3: listeners.tls.certificates: there is none: add one such as { certificate = \
             \"fullchain.pem\", key = \"key.pem\" }",
        ),
        (
            format!("tls = {{ {server}, certificates = [{{ {exact} }}] }}"),
            "line 3: listeners.tls.certificates: there is a certificate beside the list: put it \
             into the list, first if it is for clients that ask for no name",
        ),
        (
            format!("tls = {{ certificates = [\n{{ {server} }},\n{{ key = \"exact.key\" }}] }}"),
            "line 5: listeners.tls.certificates.certificate: it is missing: add it",
        ),
        (
            format!(
                "[[listeners.tls.certificates]]\n{}",
                exact.replace(", ", "\n")
            ) + "\n"
                + "[[listeners.tls.certificates]]\ncertificate = \"wild.pem\"",
            "line 6: listeners.tls.certificates.key: it is missing: add it",
        ),
        (
            format!(
                "tls = {{ certificates = [\n{{ {server} }},\n{{ {} }}] }}",
                pair("none")
            ),
            "line 5: listeners.tls.certificates.certificate: cannot read certificates from \
             'none.pem': I/O error: No such file or directory (os error 2)",
        ),
        (
            format!(
                "tls = {{ certificates = [\n{{ {server} }},\n{{ {} }}] }}",
                pair("renewed")
            ),
            "line 5: listeners.tls.certificates.certificate: 'localhost' is also a name of the \
             certificate in 'server.pem', whose key is of the same type: remove one of them",
        ),
        (
            format!(
                "tls = {{ certificates = [\n{{ {server} }},\n{{ {} }}] }}",
                pair("nameless")
            ),
            "line 5: listeners.tls.certificates.certificate: the certificate in 'nameless.pem' has \
             no DNS name that a client could ask for: put it first, or take one with subject \
             alternative names",
        ),
        (
            format!("tls = {{ {server}, clients = {{ }} }}"),
            "line 3: listeners.tls.clients.ca: it is missing: name the file with the authorities \
             that sign clients' certificates",
        ),
        (
            format!("tls = {{ {server}, clients = {{ ca = \"none.pem\" }} }}"),
            "line 3: listeners.tls.clients.ca: cannot read certificates from 'none.pem': I/O \
             error: No such file or directory (os error 2)",
        ),
        (
            format!("tls = {{ {server}, clients = {{ ca = \"server.key\" }} }}"),
            "line 3: listeners.tls.clients.ca: there is no certificate in 'server.key'",
        ),
        (
            format!(
                "tls = {{ {server}, clients = {{ ca = \"clients.pem\", certificate = \"no\" }} }}"
            ),
            "line 3: listeners.tls.clients.certificate: 'no' is not allowed: write \"required\" or \
             \"optional\"",
        ),
    ] {
        let expected = format!("proxy.toml, {expected}");
        assert_eq!(problem(&listener), expected, "{listener}");
    }
}

#[test]
fn errors_about_the_certificate_for_servers_name_the_field() {
    let tls = |fields: &str| parse("", &format!("tls = {{ name = \"localhost\", {fields} }}"));
    let good = tls(&pair("client")).unwrap();
    let files = good.groups[0].tls.as_ref().unwrap().certificate.as_ref();
    assert_eq!(files.unwrap().key, certificates().join("client.key"));
    for (fields, expected) in [
        (
            "certificate = \"client.pem\"",
            "line 6: groups.tls.key: it is missing: add it",
        ),
        (
            "key = \"client.key\"",
            "line 6: groups.tls.certificate: it is missing: add it",
        ),
        (
            "certificate = \"client.pem\", key = \"server.key\"",
            "line 6: groups.tls.key: the key in ",
        ),
        (
            "certificate = \"client.key\", key = \"client.key\"",
            "line 6: groups.tls.certificate: there is no certificate in ",
        ),
        (
            "certificate = \"client.pem\", key = \"client.pem\"",
            "line 6: groups.tls.key: cannot read a private key from ",
        ),
    ] {
        let error = tls(fields).unwrap_err();
        assert!(
            error.starts_with(&format!("proxy.toml, {expected}")),
            "{error}"
        );
    }
}

/// An authority that has expired is trusted, which is said.
#[test]
fn warnings_name_authorities_that_have_expired() {
    let list = format!(
        "tls = {{ {}, clients = {{ ca = \"expired-other.pem\" }} }}",
        pair("server")
    );
    let group = "tls = { name = \"localhost\", ca = \"expired-other.pem\" }";
    let warnings = parse(&list, group).unwrap().warnings();
    let file = certificates().join("expired-other.pem");
    let problem = format!(
        "an authority in '{}' has expired, and is trusted while it is there: remove it",
        file.display()
    );
    let expected = ["listeners.tls.clients.ca", "groups.tls.ca"];
    assert_eq!(
        warnings,
        expected.map(|field| format!("{field}: {problem}"))
    );
}

/// A proxy starts with a certificate that has expired, and says so.
#[test]
fn warnings_name_what_has_expired() {
    let list = format!(
        "tls = {{ certificates = [{{ {} }}, {{ {} }}] }}",
        pair("server"),
        pair("expired-other")
    );
    let group = format!(
        "tls = {{ name = \"localhost\", {} }}",
        pair("expired-client")
    );
    let warnings = parse(&list, &group).unwrap().warnings();
    let [listener, group] = &warnings[..] else {
        panic!("{warnings:?}");
    };
    assert!(
        listener.starts_with("listeners.tls.certificates.certificate: the certificate in "),
        "{listener}"
    );
    assert!(
        listener.ends_with("expired-other.pem' has expired: renew it"),
        "{listener}"
    );
    assert!(
        group.starts_with("groups.tls.certificate: the certificate in "),
        "{group}"
    );
}
