use std::path::{Path, PathBuf};

use toml::Spanned;

use super::source::{ConfigError, Source};

/// The files of a certificate, in PEM format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFiles {
    /// The certificate, followed by the chain to a root.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// The fields `certificate` and `key` as they are typed in a table.
#[derive(Clone, Copy)]
pub(super) struct RawFiles<'a> {
    /// The path of the table, and where it begins.
    pub(super) table: &'static str,
    pub(super) at: usize,
    pub(super) certificate: Option<&'a Spanned<String>>,
    pub(super) key: Option<&'a Spanned<String>>,
}

impl RawFiles<'_> {
    /// Both files.
    pub(super) fn both(
        self,
        source: &Source<'_>,
        folder: &Path,
    ) -> Result<CertificateFiles, ConfigError> {
        let file = |field, value: Option<&Spanned<String>>| match value {
            Some(value) => Ok(folder.join(value.get_ref())),
            None => {
                let path = format!("{}.{field}", self.table);
                Err(source.refuse(self.at, &path, "it is missing: add it"))
            }
        };
        Ok(CertificateFiles {
            certificate: file("certificate", self.certificate)?,
            key: file("key", self.key)?,
        })
    }

    /// Says what is wrong with the file of the certificate.
    pub(super) fn bad_certificate(self, source: &Source<'_>, problem: &str) -> ConfigError {
        let at = self.certificate.map_or(self.at, |value| value.span().start);
        source.refuse(at, &format!("{}.certificate", self.table), problem)
    }

    /// Says what is wrong with the file of the key.
    pub(super) fn bad_key(self, source: &Source<'_>, problem: &str) -> ConfigError {
        let at = self.key.map_or(self.at, |value| value.span().start);
        source.refuse(at, &format!("{}.key", self.table), problem)
    }
}
