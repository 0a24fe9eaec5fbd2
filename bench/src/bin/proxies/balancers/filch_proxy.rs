//! `filch proxy`.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

use filch_policy::dispatch::Spec;

use super::process::{BalancerProcess, free_port};

pub(super) fn start(
    program: &Path,
    policy: &Spec,
    servers: &[SocketAddr],
    folder: &Path,
) -> io::Result<BalancerProcess> {
    let entry = free_port()?;
    let mut configuration = format!(
        "threads = 1\naccess_log = \"off\"\n\
         [[listeners]]\naddress = \"{entry}\"\n\
         [[groups]]\nname = \"toys\"\npolicy = \"{policy}\"\n\
         timeouts = {{ read = \"120s\", total = \"120s\" }}\n"
    );
    for server in servers {
        let _ = write!(
            configuration,
            "[[groups.servers]]\naddress = \"{server}\"\ntokens = true\n"
        );
    }
    configuration.push_str("[[routes]]\npath = \"/\"\ngroup = \"toys\"\n");
    let file = folder.join("proxy.toml");
    fs::write(&file, configuration)?;
    let mut command = Command::new(program);
    command.arg("proxy").arg("--config").arg(&file);
    BalancerProcess::start(command, entry)
}
