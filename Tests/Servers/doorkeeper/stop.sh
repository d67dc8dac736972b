#!/usr/bin/env bash
NAME=doorkeeper; PORT=0
. "$(dirname "$0")/../lib/common.sh"
stop_bg
