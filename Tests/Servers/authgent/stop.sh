#!/usr/bin/env bash
NAME=authgent; PORT=0
. "$(dirname "$0")/../lib/common.sh"
stop_bg
