#!/usr/bin/env bash
# Makes the certificates for the tests of TLS: an authority, two for the server `localhost` that it
# has signed, and one that signs itself and has expired. No program trusts them, and their keys are
# no secret.
set -euo pipefail
cd "$(dirname "$0")"
days=36500
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $days -subj '/CN=filch test authority' \
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign -keyout authority.key -out authority.pem
for name in server renewed; do
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=localhost' -keyout $name.key -out $name.csr
  openssl x509 -req -in $name.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days $days -out $name.pem \
    -extfile <(printf 'subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth')
  rm $name.csr
done
rm authority.key authority.srl

# One that has expired. Only `openssl ca` takes both times in all versions, and it wants files.
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=localhost' -keyout expired.key -out expired.csr
files=$(mktemp -d)
touch "$files/index"
cat > "$files/config" <<END
[ca]
default_ca = this
[this]
database = $files/index
new_certs_dir = $files
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
END
openssl ca -batch -config "$files/config" -selfsign -keyfile expired.key -in expired.csr -notext \
  -startdate 20200101000000Z -enddate 20200201000000Z -out expired.pem \
  -extfile <(printf 'subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth')
rm -r expired.csr "$files"
