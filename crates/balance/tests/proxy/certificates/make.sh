#!/usr/bin/env bash
# Makes the certificates for the tests of TLS: an authority, and a server `localhost` that it has signed. Nobody trusts
# them, and their keys are no secret.
set -euo pipefail
cd "$(dirname "$0")"
days=36500
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $days -subj '/CN=filch test authority' \
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign -keyout authority.key -out authority.pem
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=localhost' -keyout server.key -out server.csr
openssl x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days $days -out server.pem \
  -extfile <(printf 'subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth')
rm -f authority.key authority.srl server.csr
