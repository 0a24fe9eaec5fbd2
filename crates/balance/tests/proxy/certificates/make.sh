#!/usr/bin/env bash
# Makes the certificates for the tests of TLS. No program trusts them, and their keys are no secret.
#
# | file | signed by | names | |
# |---|---|---|---|
# | authority | itself | | signs those of servers |
# | server, renewed | authority | localhost | |
# | rsa | authority | localhost | its key is RSA |
# | exact | authority | a.example, x.b.example | |
# | wild | authority | *.b.example, c.example | |
# | nameless | authority | none | |
# | expired | itself | localhost | has expired |
# | expired-other | itself | d.example | has expired |
# | clients | itself | | signs those of clients |
# | client, renewed-client | clients | | |
# | expired-client | clients | | has expired |
# | expired-clients | itself | | has expired, signs those of clients |
# | client-of-expired | expired-clients | | |
set -euo pipefail
cd "$(dirname "$0")"
rm -f -- *.pem *.key
files=$(mktemp -d)
touch "$files/index"
# Only `openssl ca` takes both times in all versions, and it wants files.
cat > "$files/config" <<END
[ca]
default_ca = this
[this]
database = $files/index
new_certs_dir = $files
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
END

elliptic=(ec -pkeyopt ec_paramgen_curve:P-256)
good=(-startdate 20260101000000Z -enddate 21251231000000Z)
past=(-startdate 20200101000000Z -enddate 20200201000000Z)
for_servers=$'basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth'
for_clients=$'basicConstraints=CA:FALSE\nextendedKeyUsage=clientAuth'
for_signing=$'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign'

authority() { # name, subject
  openssl req -x509 -newkey "${elliptic[@]}" -nodes -days 36500 -subj "/CN=$2" -keyout "$1.key" -out "$1.pem" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
}

certificate() { # name, subject, authority (or self), extensions, options of the key, --, times
  local name=$1 subject=$2 by=$3 extensions=$4 key=()
  shift 4
  while [ "$1" != -- ]; do
    key+=("$1")
    shift
  done
  shift
  openssl req -newkey "${key[@]}" -nodes -subj "/CN=$subject" -keyout "$name.key" -out "$files/request"
  local signer=(-selfsign -keyfile "$name.key")
  [ "$by" = self ] || signer=(-cert "$by.pem" -keyfile "$by.key")
  openssl ca -batch -notext -config "$files/config" "${signer[@]}" -in "$files/request" -out "$name.pem" "$@" \
    -extfile <(printf '%s\n' "$extensions")
}

names() { # extensions, names
  local all
  all=$(printf ',DNS:%s' "${@:2}")
  printf '%s\nsubjectAltName=%s' "$1" "${all#,}"
}

authority authority 'filch test authority'
authority clients 'filch test authority of clients'
for name in server renewed; do
  certificate $name localhost authority "$(names "$for_servers" localhost)" "${elliptic[@]}" -- "${good[@]}"
done
certificate rsa localhost authority "$(names "$for_servers" localhost)" rsa:2048 -- "${good[@]}"
certificate exact a.example authority "$(names "$for_servers" a.example x.b.example)" "${elliptic[@]}" -- "${good[@]}"
certificate wild c.example authority "$(names "$for_servers" '*.b.example' c.example)" "${elliptic[@]}" -- "${good[@]}"
certificate nameless localhost authority "$for_servers" "${elliptic[@]}" -- "${good[@]}"
certificate expired localhost self "$(names "$for_servers" localhost)" "${elliptic[@]}" -- "${past[@]}"
certificate expired-other d.example self "$(names "$for_servers" d.example)" "${elliptic[@]}" -- "${past[@]}"
for name in client renewed-client; do
  certificate $name 'a client' clients "$for_clients" "${elliptic[@]}" -- "${good[@]}"
done
certificate expired-client 'an old client' clients "$for_clients" "${elliptic[@]}" -- "${past[@]}"
certificate expired-clients 'filch old test authority of clients' self "$for_signing" "${elliptic[@]}" -- "${past[@]}"
certificate client-of-expired 'a client' expired-clients "$for_clients" "${elliptic[@]}" -- "${good[@]}"
rm -r authority.key clients.key expired-clients.key "$files"
