"""``filch-envoy path|config|demo``."""

import argparse
import json
import sys

from . import FOLDER, bootstrap, demo


def main():
    parser = argparse.ArgumentParser(prog="filch-envoy", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("path", help="the folder for ENVOY_DYNAMIC_MODULES_SEARCH_PATH")
    config = commands.add_parser("config", help="a configuration to start from (JSON is YAML)")
    config.add_argument("--policy", default="idle-fastest(sed)", metavar="NAME")
    config.add_argument("--listen", default="127.0.0.1:8080", metavar="HOST:PORT")
    config.add_argument("servers", nargs="+", metavar="HOST:PORT")
    trial = commands.add_parser("demo", help="idle-first balancing beside LEAST_REQUEST")
    trial.add_argument("--seconds", type=float, default=10)
    trial.add_argument("--envoy", default=None, metavar="FILE", help="the Envoy to use")
    arguments = parser.parse_args()
    if arguments.command == "path":
        print(FOLDER)
    elif arguments.command == "config":
        pair = lambda text: (text.rsplit(":", 1)[0], int(text.rsplit(":", 1)[1]))
        servers = [pair(server) for server in arguments.servers]
        print(json.dumps(bootstrap(pair(arguments.listen), servers, arguments.policy), indent=2))
    else:
        return demo.run(arguments.seconds, arguments.envoy)


if __name__ == "__main__":
    sys.exit(main())
