use std::error::Error;
use std::net::SocketAddr;

use filch_balance::{Balancer, Options, Server, Speeds, TOKEN_HEADER, Told};
use filch_policy::dispatch::Spec;
use filch_random::Seed;
use http::{Response, Uri};
use http_body_util::{BodyExt, Full};

use super::{Answer, HttpClient, Served, at, http_client};

/// One of filch's dispatchers.
#[derive(Clone, Debug)]
pub(super) struct FilchDispatcher {
    balancer: Balancer<SocketAddr>,
    client: HttpClient,
}

impl FilchDispatcher {
    pub(super) fn new(policy: Spec, served: &Served, number: u64) -> Result<Self, Box<dyn Error>> {
        let options = Options {
            seed: Seed::new(number),
            speeds: if served.weights {
                Speeds::Weights
            } else {
                Speeds::Learned
            },
            ..Options::of(policy)
        };
        let servers = served.servers.iter().zip(&served.weight);
        let servers = servers.map(|(&address, &weight)| {
            let server = Server::new(address).tokens();
            if served.weights {
                server.weight(weight)
            } else {
                server
            }
        });
        Ok(Self {
            balancer: Balancer::new(options, servers)?,
            client: http_client(),
        })
    }

    pub(super) async fn forward(self, path: Uri) -> Result<Answer, Box<dyn Error + Send + Sync>> {
        let lease = self.balancer.lease()?;
        let asked = async {
            let answer = self.client.get(at(*lease.server(), &path)).await?;
            let (parts, body) = answer.into_parts();
            let body = body.collect().await?.to_bytes();
            Ok::<_, Box<dyn Error + Send + Sync>>((parts, body))
        };
        match asked.await {
            Ok((parts, body)) => {
                let header = parts.headers.get(TOKEN_HEADER);
                let outcome = lease.outcome_of(parts.status.as_u16());
                let told = Told::read(header.map(|value| value.as_bytes()));
                lease.ended(outcome, told);
                let mut answer = Response::new(Full::new(body));
                *answer.status_mut() = parts.status;
                Ok(answer)
            }
            Err(error) => {
                lease.failed();
                Err(error)
            }
        }
    }
}
