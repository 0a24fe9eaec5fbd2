use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use serde_json::Value;
use tokio::process::{Child, Command};

use super::{Client, Config, Stats, Stock, until};

/// An Envoy that runs. It is killed when it is dropped.
#[derive(Debug)]
pub(crate) struct Envoy {
    process: Child,
    folder: tempfile::TempDir,
    admin: SocketAddr,
    front: SocketAddr,
}

impl Envoy {
    /// Starts an Envoy and waits until it serves.
    pub(crate) async fn start(stock: &Stock, config: &Config) -> Self {
        Self::start_with(stock, config, &["--use-dynamic-base-id"]).await
    }

    /// The same, with these arguments.
    pub(crate) async fn start_with(stock: &Stock, config: &Config, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut process = spawn(stock, config, folder.path(), arguments);
        let log = folder.path().join("log");
        let admin = until("Envoy's admin address", async || {
            if let Some(status) = process.try_wait().unwrap() {
                panic!("Envoy ended, {status}: {}", read(&log));
            }
            read(&folder.path().join("admin")).trim().parse().ok()
        });
        let admin = admin.await;
        let client = Client::http1();
        let front = until("Envoy's listener", async || {
            if let Some(status) = process.try_wait().unwrap() {
                panic!("Envoy ended, {status}: {}", read(&log));
            }
            let ready = client.get(admin, "/ready").await.ok()?;
            if ready.status != 200 {
                return None;
            }
            let listeners = client.get(admin, "/listeners?format=json").await.ok()?;
            front(&serde_json::from_str(&listeners.body).ok()?)
        });
        Self {
            front: front.await,
            process,
            folder,
            admin,
        }
    }

    /// Starts an Envoy that refuses its configuration. Returns how it ended and what it said.
    pub(crate) async fn refused(stock: &Stock, config: &Config) -> (ExitStatus, String) {
        let folder = tempfile::tempdir().unwrap();
        let mut process = spawn(stock, config, folder.path(), &["--use-dynamic-base-id"]);
        let status = tokio::time::timeout(super::PATIENCE, process.wait()).await;
        let status = status.expect("Envoy ends").unwrap();
        (status, read(&folder.path().join("log")))
    }

    /// Has an Envoy check this file. Returns how that ended and what it said.
    pub(crate) async fn check(stock: &Stock, file: &Path) -> (ExitStatus, String) {
        let output = Command::new(&stock.program)
            .args(["--mode", "validate", "--config-path"])
            .arg(file)
            .env("ENVOY_DYNAMIC_MODULES_SEARCH_PATH", module_folder())
            .output()
            .await
            .unwrap();
        (output.status, String::from_utf8(output.stderr).unwrap())
    }

    /// Where clients connect.
    pub(crate) fn front(&self) -> SocketAddr {
        self.front
    }

    /// Envoy's statistics now.
    pub(crate) async fn stats(&self) -> Stats {
        let answer = Client::http1()
            .get(self.admin, "/stats/prometheus")
            .await
            .unwrap();
        Stats::new(answer.body)
    }

    /// Waits until no lease is out.
    pub(crate) async fn until_quiet(&self) {
        until("no requests in flight", async || {
            let stats = self.stats().await;
            (stats.of("filch_in_flight") == 0).then_some(())
        })
        .await;
    }

    /// Puts another cluster into the file that Envoy reads them from, and waits until it has it.
    pub(crate) async fn update_clusters(&self, file: &Path, config: &Config) {
        let updates = self.stats().await.of("cluster_manager_cds_update_success");
        publish(file, &config.cluster_file());
        until("Envoy has the new cluster", async || {
            let stats = self.stats().await;
            let updated = stats.of("cluster_manager_cds_update_success") > updates;
            (updated && stats.of("cluster_manager_warming_clusters") == 0).then_some(())
        })
        .await;
    }

    /// What Envoy has logged.
    pub(crate) fn log(&self) -> String {
        read(&self.folder.path().join("log"))
    }

    /// Whether it still runs, and what it said if not.
    pub(crate) fn assert_running(&mut self) {
        if let Some(status) = self.process.try_wait().unwrap() {
            panic!("Envoy ended, {status}: {}", self.log());
        }
    }
}

/// Envoy watches for files that are moved into place.
pub(crate) fn publish(path: &Path, content: &Value) {
    let beside = path.with_extension("new");
    fs::write(&beside, content.to_string()).unwrap();
    fs::rename(&beside, path).unwrap();
}

fn spawn(stock: &Stock, config: &Config, folder: &Path, arguments: &[&str]) -> Child {
    let path = folder.join("envoy.json");
    fs::write(&path, config.bootstrap().to_string()).unwrap();
    let log = fs::File::create(folder.join("log")).unwrap();
    Command::new(&stock.program)
        .args(["--concurrency", "2", "--log-level", "warn", "--config-path"])
        .arg(&path)
        .arg("--admin-address-path")
        .arg(folder.join("admin"))
        .args(arguments)
        .env("ENVOY_DYNAMIC_MODULES_SEARCH_PATH", module_folder())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// The folder of the module: `FILCH_ENVOY_MODULE`, or where cargo has put it for this test.
fn module_folder() -> PathBuf {
    if let Ok(folder) = std::env::var("FILCH_ENVOY_MODULE") {
        return folder.into();
    }
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().to_owned()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn front(listeners: &Value) -> Option<SocketAddr> {
    let listener = listeners["listener_statuses"].as_array()?.first()?;
    let address = &listener["local_address"]["socket_address"];
    let ip = address["address"].as_str()?.parse().ok()?;
    Some(SocketAddr::new(ip, address["port_value"].as_u64()? as u16))
}
