//! The configuration to start from, `docs/envoy.yaml`.

use std::path::Path;

use crate::harness::{Envoy, with_each};

#[test]
fn the_documented_configuration_is_accepted() {
    with_each(async |stock| {
        let documented = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/envoy.yaml");
        let (status, log) = Envoy::check(stock, &documented).await;
        assert!(status.success(), "{log}");

        // It is our module that has accepted the policy.
        let text = std::fs::read_to_string(&documented).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("envoy.yaml");
        std::fs::write(&other, text.replace("idle-fastest(sed)", "idel")).unwrap();
        let (status, log) = Envoy::check(stock, &other).await;
        assert!(!status.success() && log.contains("filch: "), "{log}");
    });
}
