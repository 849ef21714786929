#!/bin/sh
# Makes the container what a virtual Pi of `npm run lab` is: its own host key, a password from outside, two interfaces
# with their names, the wifi with 65 Mbit/s and one packet in 200 lost.
set -eu

: "${PI_PASSWORD:?set PI_PASSWORD in the environment of docker compose}"
printf 'pi:%s\n' "$PI_PASSWORD" | chpasswd

# Kept in a volume, so that the key that was pinned stays the same over restarts.
mkdir -p /etc/ssh/keys
[ -s /etc/ssh/keys/ssh_host_ed25519_key ] ||
  ssh-keygen -q -t ed25519 -N '' -C "$(hostname)" -f /etc/ssh/keys/ssh_host_ed25519_key
ln -sf keys/ssh_host_ed25519_key.pub /etc/ssh/ssh_host_ed25519_key.pub
printf '%s\n' 'HostKey /etc/ssh/keys/ssh_host_ed25519_key' 'UseDNS no' 'PasswordAuthentication yes' \
  > /etc/ssh/sshd_config.d/lab.conf

# Docker numbers interfaces as it likes: each is known by the network that its address is in.
rename() {
  device=$(ip -4 -o address | awk -v net="$1" 'index($4, net) == 1 { print $2; exit }')
  if [ -z "$device" ] || [ "$device" = "$2" ]; then return 0; fi
  address=$(ip -4 -o address show dev "$device" | awk '{ print $4; exit }')
  gateway=$(ip -4 route show default dev "$device" | awk '{ print $3; exit }')
  ip link set dev "$device" down
  ip link set dev "$device" name "$2"
  ip link set dev "$2" up
  ip address show dev "$2" | grep -q "inet $address" || ip address add "$address" dev "$2"
  if [ -n "$gateway" ]; then ip route replace default via "$gateway" dev "$2"; fi
}
rename "$ETHERNET_PREFIX" ethernet
rename "$WIFI_PREFIX" wifi

# On what comes in, by rules alone: the interface's own queue is left to the agent, which impairs links by it.
nft -f - << 'RULES'
table inet air
delete table inet air
table inet air {
  chain input {
    type filter hook input priority 0; policy accept;
    iifname "wifi" numgen random mod 1000 < 5 counter drop
    iifname "wifi" limit rate over 8125 kbytes/second burst 256 kbytes counter drop
  }
}
RULES

mkdir -p /run/sshd
exec /usr/sbin/sshd -D -e
