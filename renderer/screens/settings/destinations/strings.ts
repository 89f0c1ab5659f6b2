export const strings = {
  text: 'The hosts outside this machine that proxies, webhooks and programs which use Coffer’s proxy may call. Calls to other hosts are refused before anything is sent.',
  private:
    'An IP address in a private network, such as 10.0.0.7 or a cloud’s metadata service, needs its own entry even if every host is allowed, because a public name may resolve to it.',
  allowed: 'Allowed hosts',
  host: 'Host, IP address or network',
  hostHelp: 'Such as api.example.com, *.example.com or 10.0.0.0/8; * allows every public host.',
  hostWrong:
    'Enter a host without https://, such as api.example.com, *.example.com or *, or an IP address or network, such as 10.0.0.0/8.',
  allow: 'Allow',
  noHosts: 'No hosts are allowed.',
  known: 'This is already in the list.',
  mapped: 'Redirects',
  mapText:
    'Redirects calls from one origin to another, such as a local mock. Programs and proxies keep using the real URL.',
  from: 'Origin',
  to: 'Redirect to',
  mapHelp: { from: 'Such as https://api.example.com', to: 'Such as http://127.0.0.1:12111' },
  originWrong: 'Enter a scheme, host and port without a path.',
  map: 'Redirect',
  noMaps: 'No redirects.',
  remove: (name: string) => `Remove ${name}`,
} as const
