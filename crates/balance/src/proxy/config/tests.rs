//! Which files are accepted, and the errors about those that are not.

use std::path::Path;
use std::time::Duration;

use super::*;

const SMALL: &str = r#"[[listeners]]
address = "127.0.0.1:8080"

[[groups]]
name = "all"

[[groups.servers]]
address = "127.0.0.1:8001"
"#;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse("proxy.toml", Path::new("/nowhere"), text)
}

/// The error about the small file with `old` replaced by `new`.
#[track_caller]
fn error_of(old: &str, new: &str) -> String {
    let text = SMALL.replacen(old, new, 1);
    assert_ne!(text, SMALL);
    parse(&text).unwrap_err().to_string()
}

#[test]
fn little_is_required() {
    let config = parse(SMALL).unwrap();
    let group = &config.groups[0];
    assert_eq!(group.policy.to_string(), "considerate");
    assert!(group.learned);
    assert_eq!(group.retries, 3);
    assert_eq!(config.routes.len(), 1);
    assert_eq!(config.access_log, LogTarget::Stdout);
    assert_eq!((config.admin, config.metrics), (None, None));
    assert!(!config.listeners[0].http2);
    assert!(!group.servers[0].tokens);
}

/// The file that docs/proxy.md explains.
#[test]
fn the_example_in_the_docs_is_good() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/proxy.toml");
    let config = Config::read(&example).unwrap();
    assert_eq!(config.groups.len(), 2);
    let models = &config.groups[0];
    assert_eq!(models.timeouts.total, Some(Duration::from_secs(300)));
    assert_eq!(models.servers[0].limit, Some(4));
    assert!(models.servers[0].tokens);
    // The reference shows the whole file.
    let docs = std::fs::read_to_string(example.with_extension("md")).unwrap();
    let text = std::fs::read_to_string(&example).unwrap();
    assert!(
        docs.contains(text.trim()),
        "docs/proxy.md shows another file"
    );
}

#[test]
fn errors_name_file_line_and_field() {
    for (old, new, expected) in [
        (
            "127.0.0.1:8080",
            "localhost",
            "proxy.toml, line 2: listeners.address: 'localhost' is not an IP address and port: write one such as \"127.0.0.1:8080\" or \"[::]:8080\"",
        ),
        (
            "127.0.0.1:8080\"",
            "127.0.0.1:8080\"\nproxy_protocol = { from = [] }",
            "proxy.toml, line 3: listeners.proxy_protocol.from: there is none: name the addresses of load balancers, such as [\"10.0.0.0/8\"], or leave proxy_protocol out",
        ),
        (
            "127.0.0.1:8080\"",
            "127.0.0.1:8080\"\nproxy_protocol = { from = [\"127.0.0.1\", \"balancer\"] }",
            "proxy.toml, line 3: listeners.proxy_protocol.from: 'balancer' is not a network: write one such as \"10.0.0.0/8\" or \"127.0.0.1\"",
        ),
        (
            "127.0.0.1:8080\"",
            "127.0.0.1:8080\"\nproxy_protocol = { from = [\"10.1.0.0/8\"] }",
            "proxy.toml, line 3: listeners.proxy_protocol.from: '10.1.0.0/8' has more than 8 bits: write \"10.0.0.0/8\"",
        ),
        (
            "127.0.0.1:8080\"",
            "127.0.0.1:8080\"\nproxy_protocol = { from = [\"unix\"] }",
            "proxy.toml, line 3: listeners.proxy_protocol.from: \"unix\" is for the address of a Unix socket: remove it",
        ),
        (
            "127.0.0.1:8080\"",
            "unix:a.sock\"\nproxy_protocol = { from = [\"127.0.0.1\"] }",
            "proxy.toml, line 3: listeners.proxy_protocol.from: this is the address of a Unix socket: write [\"unix\"]",
        ),
        (
            "127.0.0.1:8080\"",
            "127.0.0.1:8080\"\nmode = \"660\"",
            "proxy.toml, line 3: listeners.mode: only a Unix socket has one: remove it",
        ),
        (
            "127.0.0.1:8080\"",
            "unix:a.sock\"\nmode = \"999\"",
            "proxy.toml, line 3: listeners.mode: '999' is not a mode: write three octal digits, such as \"660\" for owner and group",
        ),
        (
            "127.0.0.1:8080\"",
            "unix:a.sock\"\nmode = \"060\"",
            "proxy.toml, line 3: listeners.mode: '060' keeps out the proxy itself, which could not see whether the socket is in use: write one such as \"660\" for owner and group",
        ),
        (
            "127.0.0.1:8080\"",
            "127.0.0.1:8080\"\nproxy_protocol = { from = [\"127.0.0.1\",\n1] }",
            "proxy.toml, line 4: from: invalid type: integer `1`, expected a string",
        ),
        (
            "127.0.0.1:8080\"",
            "127.0.0.1:8080\"\ntls = { certificates = [\"a.pem\"] }",
            "proxy.toml, line 3: certificates: invalid type: string \"a.pem\", expected a table",
        ),
        (
            "127.0.0.1:8080\"",
            "unix:a.sock\"\nmode = 432",
            "proxy.toml, line 3: mode: invalid type: integer `432`, expected a string",
        ),
        (
            "127.0.0.1:8080\"",
            "unix:a.sock\"\n[[listeners]]\naddress = \"unix:/nowhere/a.sock\"",
            "proxy.toml, line 4: listeners.address: unix:/nowhere/a.sock is listed twice: remove one",
        ),
        (
            "[[listeners]]\naddress = \"127.0.0.1:8080\"",
            "upgrade = \"a.sock\"\n[[listeners]]\naddress = \"unix:/nowhere/a.sock\"",
            "proxy.toml, line 1: upgrade: clients connect there: write another path",
        ),
        (
            "[[listeners]]\naddress = \"127.0.0.1:8080\"",
            "upgrade = \"a.sock\"\n[[listeners]]\naddress = \"unix:a.sock.new\"",
            "proxy.toml, line 1: upgrade: clients connect at this path with .new, where the socket is at first: write another path",
        ),
        (
            "127.0.0.1:8080\"",
            "unix:a.sock\"\n[[listeners]]\naddress = \"unix:x/../a.sock\"",
            "proxy.toml, line 4: listeners.address: unix:/nowhere/x/../a.sock is listed twice: remove one",
        ),
        (
            "[[listeners]]\naddress = \"127.0.0.1:8080\"",
            "upgrade = \"x/../a.sock\"\n[[listeners]]\naddress = \"unix:a.sock\"",
            "proxy.toml, line 1: upgrade: clients connect there: write another path",
        ),
        (
            "[[listeners]]\naddress = \"127.0.0.1:8080\"",
            "upgrade = \"x/../a.sock\"\n[[listeners]]\naddress = \"unix:a.sock.new\"",
            "proxy.toml, line 1: upgrade: clients connect at this path with .new, where the socket is at first: write another path",
        ),
        (
            "[[listeners]]",
            "upgrade = \"\"\n[[listeners]]",
            "proxy.toml, line 1: upgrade: '' is not the path of a socket: write one such as \"/run/filch/upgrade\"",
        ),
        (
            "[[listeners]]",
            "upgrade = \".\"\n[[listeners]]",
            "proxy.toml, line 1: upgrade: '.' is not the path of a socket: write one such as \"/run/filch/upgrade\"",
        ),
        (
            "[[listeners]]",
            "upgrade = \"a/..\"\n[[listeners]]",
            "proxy.toml, line 1: upgrade: 'a/..' is not the path of a socket: write one such as \"/run/filch/upgrade\"",
        ),
        (
            "[[listeners]]",
            "upgrade = \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n[[listeners]]",
            "proxy.toml, line 1: upgrade: this path with .new, where the socket is at first, is too long for a socket: use a shorter one",
        ),
        (
            "127.0.0.1:8080",
            "unix:.",
            "proxy.toml, line 2: listeners.address: 'unix:.' is not the path of a socket: write one such as \"unix:/run/filch.sock\", of letters, digits and /.-_@+:",
        ),
        (
            "127.0.0.1:8080",
            "unix:..",
            "proxy.toml, line 2: listeners.address: 'unix:..' is not the path of a socket: write one such as \"unix:/run/filch.sock\", of letters, digits and /.-_@+:",
        ),
        (
            "127.0.0.1:8080",
            "unix:a/..",
            "proxy.toml, line 2: listeners.address: 'unix:a/..' is not the path of a socket: write one such as \"unix:/run/filch.sock\", of letters, digits and /.-_@+:",
        ),
        (
            "127.0.0.1:8001",
            "unix:.",
            "proxy.toml, line 8: groups.servers.address: 'unix:.' is not the path of a socket: write one such as \"unix:/run/filch.sock\", of letters, digits and /.-_@+:",
        ),
        (
            "127.0.0.1:8080",
            "unix:@a.sock",
            "proxy.toml, line 2: listeners.address: a socket has a file here: write \"unix:./@a.sock\" if its name begins with @",
        ),
        (
            "127.0.0.1:8001",
            "unix:@a.sock",
            "proxy.toml, line 8: groups.servers.address: a socket has a file here: write \"unix:./@a.sock\" if its name begins with @",
        ),
        (
            "127.0.0.1:8080",
            "unix:a b.sock",
            "proxy.toml, line 2: listeners.address: 'unix:a b.sock' is not the path of a socket: write one such as \"unix:/run/filch.sock\", of letters, digits and /.-_@+:",
        ),
        (
            "127.0.0.1:8001",
            "unix:",
            "proxy.toml, line 8: groups.servers.address: 'unix:' is not the path of a socket: write one such as \"unix:/run/filch.sock\", of letters, digits and /.-_@+:",
        ),
        (
            "127.0.0.1:8001\"",
            "unix:a.sock\"\n[[groups.servers]]\naddress = \"unix:/nowhere/a.sock\"",
            "proxy.toml, line 10: groups.servers.address: 'unix:/nowhere/a.sock' is the same server as 'unix:a.sock': remove one",
        ),
        (
            "127.0.0.1:8001\"",
            "unix:a.sock\"\n[[groups.servers]]\naddress = \"unix:x/../a.sock\"",
            "proxy.toml, line 10: groups.servers.address: 'unix:x/../a.sock' is the same server as 'unix:a.sock': remove one",
        ),
        (
            "[[listeners]]",
            "request_id = { name = \"a b\" }\n[[listeners]]",
            "proxy.toml, line 1: request_id.name: 'a b' cannot be the field of an id: write one that begins with x- or ends with -id, such as \"x-request-id\"",
        ),
        (
            "[[listeners]]",
            "request_id = { name = \"host\" }\n[[listeners]]",
            "proxy.toml, line 1: request_id.name: 'host' cannot be the field of an id: write one that begins with x- or ends with -id, such as \"x-request-id\"",
        ),
        (
            "[[listeners]]",
            "request_id = { name = \"X-Forwarded-For\" }\n[[listeners]]",
            "proxy.toml, line 1: request_id.name: 'X-Forwarded-For' cannot be the field of an id: write one that begins with x- or ends with -id, such as \"x-request-id\"",
        ),
        (
            "[[listeners]]",
            "request_id = { name = \"x_request_id\" }\n[[listeners]]",
            "proxy.toml, line 1: request_id.name: 'x_request_id' cannot be the field of an id: write one that begins with x- or ends with -id, such as \"x-request-id\"",
        ),
        (
            "[[listeners]]",
            "request_id = \"x-request-id\"\n[[listeners]]",
            "proxy.toml, line 1: request_id: invalid type: string \"x-request-id\", expected a table",
        ),
        (
            "name = \"all\"",
            "name = \"a b\"",
            "proxy.toml, line 5: groups.name: 'a b' is not allowed: use letters, digits, '-' and '_'",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[[routes]]\nmethods = [\"GET\", \"get\"]\ngroup = \"all\"",
            "proxy.toml, line 10: routes.methods: 'get' is not a method: write one such as \"GET\"",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[[routes]]\nmethods = []\ngroup = \"all\"",
            "proxy.toml, line 10: routes.methods: there is none: name one such as \"GET\", or leave it out for all",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[[routes]]\nheaders = { \"a b\" = \"c\" }\ngroup = \"all\"",
            "proxy.toml, line 10: routes.headers: 'a b' is not the name of a field: write one such as \"x-canary\"",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\nhost = \"a b\"",
            "proxy.toml, line 6: groups.host: 'a b' is not a host: write one such as \"models.example.org\"",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\nsticky = { by = \"moon\" }",
            "proxy.toml, line 6: groups.sticky.by: 'moon' is not allowed: write \"cookie\" or \"header\" or \"address\"",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\nsticky = { by = \"cookie\", name = \"a;b\" }",
            "proxy.toml, line 6: groups.sticky.name: 'a;b' is not allowed: use letters, digits, '-' and '_'",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\nsticky = { by = \"cookie\", servers = 2 }",
            "proxy.toml, line 6: groups.sticky.servers: it means nothing here: remove it",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\nsticky = { by = \"header\" }",
            "proxy.toml, line 6: groups.sticky.name: there is none: name a field, such as name = \"x-user\"",
        ),
        (
            "name = \"all\"",
            "nome = \"all\"",
            "proxy.toml, line 5: nome: unknown field `nome`, expected one of `name`, `policy`, `speeds`, `retries`, `protocol`, `host`, `tls`, `timeouts`, `queue`, `resolve`, `sticky`, `health`, `failures`, `servers`",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\nretries = 11",
            "proxy.toml, line 6: groups.retries: 11 is not allowed: give a whole number from 0 to 10",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\nretries = \"three\"",
            "proxy.toml, line 6: retries: invalid type: string \"three\", expected a whole number",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\npolicy = \"jsq:0\"",
            "proxy.toml, line 6: groups.policy: 'jsq:0' is not of the form jsq:D: D is '0', use a whole number from 1",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\nspeeds = \"guessed\"",
            "proxy.toml, line 6: groups.speeds: 'guessed' is not allowed: write \"learned\" or \"weights\"",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\nspeeds = \"weights\"",
            "proxy.toml, line 6: groups.speeds: with \"weights\" every server of the group needs a weight: add them, or write \"learned\"",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\ntimeouts = { read = \"5 s\" }",
            "proxy.toml, line 6: groups.timeouts.read: '5 s' is not a time: write a whole number from 1 and a unit (ms, s, m or h), at most 24h, such as \"5s\"",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\nqueue = { length = -1 }",
            "proxy.toml, line 6: groups.queue.length: -1 is not allowed: give a whole number from 0 to 1000000",
        ),
        (
            "name = \"all\"",
            "name = \"all\"\nhealth = { path = \"well\" }",
            "proxy.toml, line 6: groups.health.path: 'well' is not a path: write one such as \"/health\"",
        ),
        (
            "127.0.0.1:8001",
            "127.0.0.1",
            "proxy.toml, line 8: groups.servers.address: '127.0.0.1' is not an address: write host and port, such as \"10.0.0.7:8000\" or \"model-1:8000\", or a path, such as \"unix:/run/model.sock\"",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\nlimit = 0",
            "proxy.toml, line 9: groups.servers.limit: 0 is not allowed: give a whole number from 1 to 1000000",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\nweight = nan",
            "proxy.toml, line 9: groups.servers.weight: NaN is not allowed: give a number from 0.000001 to 1000000",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[[groups.servers]]\naddress = \"127.0.0.1:8001\"",
            "proxy.toml, line 10: groups.servers.address: '127.0.0.1:8001' is listed twice: remove one, or give it a higher weight",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[admin]\naddress = \"0.0.0.0:9900\"",
            "proxy.toml, line 10: admin.address: 0.0.0.0 is not a loopback address, and the page has no password: use one such as \"127.0.0.1:9900\"",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[[routes]]\ngroup = \"some\"",
            "proxy.toml, line 10: routes.group: there is no group 'some': the groups are all",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[[routes]]\nhost = \"*\"\ngroup = \"all\"",
            "proxy.toml, line 10: routes.host: '*' is not a host: write one such as \"example.org\" or \"*.example.org\", or leave it out for all",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[[routes]]\nhost = \"example.org:8080\"\ngroup = \"all\"",
            "proxy.toml, line 10: routes.host: 'example.org:8080' is not a host: write one such as \"example.org\" or \"*.example.org\", or leave it out for all",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[groups.health]\npath = \"/<x>\"",
            "proxy.toml, line 10: groups.health.path: '/<x>' is not a path: write one such as \"/health\"",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[groups.tls]\nname = \"bad name\"",
            "proxy.toml, line 10: groups.tls.name: 'bad name' is not a name that can be verified: write the one in the servers' certificates",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[metrics]\naddress = \"127.0.0.1:8080\"",
            "proxy.toml, line 10: metrics.address: 127.0.0.1:8080 is used above: use another port",
        ),
        (
            "127.0.0.1:8001\"",
            "127.0.0.1:8001\"\n[client]\nforwarded = \"maybe\"",
            "proxy.toml, line 10: client.forwarded: 'maybe' is not allowed: write \"replace\" or \"append\"",
        ),
    ] {
        assert_eq!(error_of(old, new), expected);
    }
}

#[test]
fn errors_of_the_parser_have_a_line() {
    for (old, new, parts) in [
        ("[[groups]]", "[[groups]", &["line 4"][..]),
        (
            "address = \"127",
            "addres = \"127",
            &["line 2", "addres", "`address`"],
        ),
        (
            "name = \"all\"\n",
            "",
            &["line 4: groups.name: it is missing"],
        ),
        ("\"all\"", "\"all", &["line 5"]),
    ] {
        let error = error_of(old, new);
        assert!(error.starts_with("proxy.toml, line "), "{error}");
        for part in parts {
            assert!(error.contains(part), "{error}");
        }
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn a_missing_field_has_its_path() {
    for (old, new, expected) in [
        (
            "[[listeners]]\naddress = \"127.0.0.1:8080\"\n",
            "",
            "line 1: listeners: it is missing: add it",
        ),
        (
            "address = \"127.0.0.1:8001\"\n",
            "weight = 1.0\n",
            "line 7: groups.servers.address: it is missing: add it",
        ),
        (
            "name = \"all\"\n",
            "name = \"all\"\nhealth = { interval = \"1s\" }\n",
            "line 6: groups.health.path: it is missing: add it",
        ),
        (
            "127.0.0.1:8080\"\n",
            "127.0.0.1:8080\"\nproxy_protocol = {}\n",
            "line 3: listeners.proxy_protocol.from: it is missing: add it",
        ),
    ] {
        assert_eq!(error_of(old, new), format!("proxy.toml, {expected}"));
    }
}

/// Issue 26, found by fuzzing: the line of an error began inside the mark, and the proxy panicked.
#[test]
fn a_byte_order_mark_is_no_part_of_a_key() {
    assert!(parse(&format!("\u{feff}{SMALL}")).is_ok());
    let error = parse("\u{feff}grace = soon").unwrap_err().to_string();
    assert!(error.starts_with("proxy.toml, line 1: grace: "), "{error}");
}

#[test]
fn a_file_that_is_not_text_has_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proxy.toml");
    let mut bytes = SMALL.as_bytes().to_vec();
    let at = SMALL.find("all").unwrap();
    bytes[at] = 0xff;
    std::fs::write(&path, bytes).unwrap();
    let error = Config::read(&path).unwrap_err().to_string();
    assert!(
        error.ends_with("proxy.toml, line 5: this is not UTF-8: save the file as UTF-8"),
        "{error}"
    );
}

#[test]
fn one_server_with_two_names_is_seen() {
    let again = |address: &str| {
        let text = format!("{SMALL}[[groups.servers]]\naddress = \"{address}\"\n");
        parse(&text).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(again("127.0.0.1:8002"), Ok(()));
    let error = again("127.0.0.1:8001").unwrap_err();
    assert!(
        error.contains("'127.0.0.1:8001' is listed twice"),
        "{error}"
    );
    let error = again("127.0.0.1:08001").unwrap_err();
    assert!(
        error.contains("is the same server as '127.0.0.1:8001'"),
        "{error}"
    );
}

#[test]
fn paths_of_sockets_have_a_length() {
    let long = format!("unix:{}", "x".repeat(120));
    let error = error_of("127.0.0.1:8001", &long);
    let expected = "proxy.toml, line 8: groups.servers.address: the path '/nowhere/xxx";
    assert!(error.starts_with(expected), "{error}");
    let end = "x' is too long for a socket: use a shorter one";
    assert!(error.ends_with(end), "{error}");
}

#[test]
fn ids_have_a_field() {
    let ids = |line: &str| parse(&format!("{line}\n{SMALL}")).unwrap().request_id;
    assert_eq!(ids(""), None);
    let usual = ids("request_id = {}").unwrap();
    assert_eq!((usual.name.as_str(), usual.answer), ("x-request-id", false));
    for name in [
        "x-request-id",
        "Request-Id",
        "X-Amzn-Trace-Id",
        "X-Cloud-Trace-Context",
    ] {
        let ids = ids(&format!(
            "request_id = {{ name = \"{name}\", answer = true }}"
        ));
        assert!(ids.is_some_and(|it| it.name == name && it.answer), "{name}");
    }
}

#[test]
fn sockets_have_paths_and_modes() {
    let text = SMALL
        .replace("127.0.0.1:8080", "unix:front@1.sock")
        .replace("127.0.0.1:8001", "unix:./@app.sock");
    let config = parse(&text).unwrap();
    let listener = &config.listeners[0];
    assert_eq!(listener.address.to_string(), "unix:/nowhere/front@1.sock");
    assert_eq!(listener.mode, 0o600);
    let server = &config.groups[0].servers[0];
    assert_eq!(&*server.name, "unix:./@app.sock");
    assert!(!server.has_name, "there is nothing to look up");
    let text = text.replacen("sock\"", "sock\"\nmode = \"0666\"", 1);
    assert_eq!(parse(&text).unwrap().listeners[0].mode, 0o666);
}

#[test]
fn the_folder_of_the_access_log_must_exist() {
    let error = error_of(
        "[[listeners]]",
        "access_log = \"logs/access\"\n[[listeners]]",
    );
    let expected = "proxy.toml, line 1: access_log: there is no folder '/nowhere/logs'";
    assert!(error.starts_with(expected), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "access_log = \"\"\"{}\"\"\"\n{SMALL}",
        folder.path().display()
    );
    let error = parse(&text).unwrap_err().to_string();
    assert!(
        error.contains("line 1: access_log: cannot write to"),
        "{error}"
    );
    let text = text.replacen("\"\"\"\n", "/log\"\"\"\n", 1);
    assert!(parse(&text).is_ok());
}

#[test]
fn files_are_read() {
    let tls = "127.0.0.1:8080\"\ntls = { certificate = \"a.pem\", key = \"b.pem\" }\n#\"";
    let error = error_of("127.0.0.1:8080\"", tls);
    let expected = "proxy.toml, line 3: listeners.tls.certificate: cannot read certificates from '/nowhere/a.pem'";
    assert!(error.starts_with(expected), "{error}");
    let missing = Config::read(Path::new("/nowhere/proxy.toml")).unwrap_err();
    let expected = "cannot read the configuration '/nowhere/proxy.toml': ";
    assert!(missing.to_string().starts_with(expected), "{missing}");
}

#[test]
fn two_groups_need_routes() {
    let second =
        "\n[[groups]]\nname = \"other\"\n[[groups.servers]]\naddress = \"127.0.0.1:8002\"\n";
    let text = format!("{SMALL}{second}");
    let error = parse(&text).unwrap_err().to_string();
    assert!(
        error.contains("routes: there is none, and more than one group"),
        "{error}"
    );
    let text = format!(
        "{text}[[routes]]\npath = \"/a\"\ngroup = \"all\"\n[[routes]]\ngroup = \"other\"\n"
    );
    let config = parse(&text).unwrap();
    assert_eq!((config.routes[0].group, config.routes[1].group), (0, 1));
}

/// Two groups must not set the same cookie at the same host, unless it means the same in both.
#[test]
fn groups_do_not_share_a_cookie() {
    // The second group has this cookie and this server, and these routes lead to both.
    let read = |cookie: &str, server: u16, routes: &[(&str, &str)]| {
        let sticky = |name: &str| format!("sticky = {{ by = \"cookie\", name = \"{name}\" }}");
        let mut text = SMALL.replacen(
            "name = \"all\"\n",
            &format!("name = \"all\"\n{}\n", sticky("s")),
            1,
        );
        text += &format!(
            "[[groups]]\nname = \"other\"\n{}\n\
             [[groups.servers]]\naddress = \"127.0.0.1:{server}\"\n",
            sticky(cookie)
        );
        for (group, condition) in routes {
            text += &format!("[[routes]]\ngroup = \"{group}\"\n{condition}\n");
        }
        parse(&text)
    };
    let both = [("all", "path = \"/v1\""), ("other", "")];
    let error = read("s", 8002, &both).unwrap_err().to_string();
    assert_eq!(
        error,
        "proxy.toml, line 12: groups.sticky.name: the groups 'all' and 'other' have the same cookie \
         at the same host, and each would replace the other's: give one of the cookies another name"
    );
    assert!(read("t", 8002, &both).is_ok(), "another name");
    assert!(read("s", 8001, &both).is_ok(), "the same servers");
    for (conditions, good) in [
        (["host = \"a.org\"", "host = \"b.org\""], true),
        (["host = \"a.org\"", "host = \"*.a.org\""], true),
        (["host = \"a.org\"", ""], true),
        (["host = \"a.org\"\npath = \"/v1\"", ""], false),
        (["host = \"a.org\"\nmethods = [\"GET\"]", ""], false),
        (
            ["host = \"x.a.org\"\npath = \"/v1\"", "host = \"*.a.org\""],
            false,
        ),
        (
            ["host = \"*.a.org\"", "host = \"*.x.a.org\"\npath = \"/v1\""],
            false,
        ),
        (["headers = { x-canary = \"yes\" }", ""], false),
    ] {
        let routes = [("all", conditions[0]), ("other", conditions[1])];
        assert_eq!(read("s", 8002, &routes).is_ok(), good, "{conditions:?}");
    }
}

proptest::proptest! {
    /// However the file is damaged, it is read or refused with one line.
    #[test]
    fn damage_gets_one_line(at in 0usize..70, kind in 0usize..4, with in "[ -~]{0,3}") {
        let example = include_str!("../../../../../docs/proxy.toml");
        let mut lines: Vec<String> = example.lines().map(str::to_owned).collect();
        let at = at % lines.len();
        // A damaged address could be a name, which would be looked up.
        proptest::prop_assume!(!lines[at].contains("address"));
        let middle = lines[at].len() / 2;
        match kind {
            0 => lines[at] = with,
            1 => lines[at].truncate(middle),
            2 => lines[at].insert_str(middle, &with),
            _ => lines[at] = format!("{}{with}", lines[at]),
        }
        if let Err(error) = parse(&lines.join("\n")) {
            let error = error.to_string();
            proptest::prop_assert!(error.starts_with("proxy.toml, line "), "{error}");
            proptest::prop_assert!(!error.contains('\n'), "{error}");
        }
    }
}
