//! What Envoy does not start with.

use serde_json::json;

use crate::harness::{Config, Envoy, Server, with_each};

#[test]
fn a_bad_name_is_refused_with_one_line() {
    with_each(async |stock| {
        let server = Server::start().await;
        let config = Config::new("idel(last)", &[server.address()]);
        let (status, log) = Envoy::refused(stock, &config).await;
        assert!(!status.success());
        let line = log
            .lines()
            .find(|line| line.contains("filch: "))
            .expect(&log);
        assert!(
            line.contains("'idel(last)'") && line.contains("idle-fastest(F)"),
            "{line}"
        );
    });
}

#[test]
fn a_bad_option_is_refused_with_one_line() {
    with_each(async |stock| {
        let server = Server::start().await;
        let config = Config::new(r#"{"policy": "pi", "token": true}"#, &[server.address()]);
        let (status, log) = Envoy::refused(stock, &config).await;
        assert!(
            !status.success() && log.contains("filch: unknown field `token`"),
            "{log}"
        );

        let mut config = Config::new("pi", &[server.address()]);
        config.queue = Some(json!({ "rom": 1 }));
        let (status, log) = Envoy::refused(stock, &config).await;
        assert!(
            !status.success() && log.contains("filch: unknown field `rom`"),
            "{log}"
        );
    });
}
