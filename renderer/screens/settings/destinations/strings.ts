export const strings = {
  text: 'Where proxies and webhooks may call beyond this machine. Everything else is refused, and nothing is sent.',
  private:
    'An address in a private network, such as 10.0.0.7 or that of a cloud’s metadata, needs an entry of its own, even where every host is allowed. A public name may lead there.',
  allowed: 'Allowed hosts',
  host: 'Host, address or network',
  hostHelp: 'Such as api.example.com, *.example.com or 10.0.0.0/8; * allows every public host.',
  hostWrong:
    'Enter a host without https://, such as api.example.com, *.example.com or *, or an address or network, such as 10.0.0.0/8.',
  allow: 'Allow',
  noHosts: 'No hosts are allowed.',
  known: 'This is in the list already.',
  mapped: 'Maps',
  mapText:
    'A call to an address goes to a stand-in, such as a local mock. Programs and proxies keep the real address.',
  from: 'Address',
  to: 'Stand-in',
  fromHelp: 'Such as https://api.example.com',
  toHelp: 'Such as http://127.0.0.1:12111',
  originWrong: 'Enter scheme, host and port without a path.',
  map: 'Map',
  noMaps: 'No maps.',
  remove: (name: string) => `Remove ${name}`,
} as const
