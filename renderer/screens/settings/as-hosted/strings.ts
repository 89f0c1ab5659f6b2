import type { ConnectionOutcome, ConnectionRoute } from '../../../../shared/host/as-hosted.ts'

const routes: Readonly<Record<ConnectionRoute, string>> = {
  preload: 'preload',
  proxy: 'proxy',
  direct: 'TLS front',
  listener: 'listener',
}

const routeHelp: Readonly<Record<ConnectionRoute, string>> = {
  preload: 'The files that Coffer loads into Node and Python lead the program here.',
  proxy: 'The program connects through the proxy of its environment.',
  direct:
    'The program connects to the port of the TLS front itself, as Chromium does with the arguments above.',
  listener: 'The program uses the base URL of the listener.',
}

/** A word, and why where the word does not say it. */
const outcomes: Readonly<Record<ConnectionOutcome, readonly [word: string, why?: string]>> = {
  answered: ['answered'],
  mapped: ['mapped', 'sent where you map it'],
  connected: ['connected', 'to the allowed destination'],
  refused: ['refused', 'would have left this machine'],
  plain: ['refused', 'the proxy forwards no http:'],
  without_password: ['refused', 'without the proxy’s password'],
  failed: ['failed', 'the destination could not be reached'],
  untrusted: ['not trusted', 'the program rejects the certificate'],
  unknown_name: ['refused', 'this name is not answered'],
}

export const strings = {
  heading: 'Names of the hosted service',
  title: 'Answer as the hosted service',
  help: 'Programs that call api.basistheory.com then reach this vault, with nothing changed but their keys. Only programs that you start for it do so; how is shown once this is on.',
  listenerOff: 'It starts with the listener, which is off.',
  opening: 'Starting…',
  failed: (reason: string) => `The names could not be answered. ${reason}`,
  tryAgain: 'Try again',
  onWord: 'on',
  on: (port: number) => `Answering by HTTPS on port ${port} of this machine`,
  held: 'The command that started Coffer asked for it with --as-hosted. It stays on until that command ends.',
  names: 'Names that are answered',
  roles: {
    api: 'API',
    scripts: 'Scripts and frames',
    'three-ds': '3D Secure',
    cdn: 'Webhook keys',
    echo: 'Echo',
    mapped: 'Mapped by you',
  },
  mappedNote:
    'Requests to a mapped name are decrypted here, then sent to the destination that you map it to.',
  mappedLater: (origins: string) =>
    `${origins}: mapped after this started. Turn it off and on again to answer it.`,
  start: 'Start a program',
  run: 'With a vault of its own, in memory',
  runCommand: 'coffer run --as-hosted -- npm start',
  command: 'command',
  shell: 'With this vault, from a terminal (bash, zsh and other POSIX shells)',
  shellWhat: 'line for the terminal',
  shellNote:
    'Then start the program there, with keys of this vault. The file sets variables for Node, Python, Java and programs that use the proxy of their environment. Close the terminal once you turn this off, because its programs would still look for Coffer.',
  chromium: 'Chromium, with these arguments',
  chromiumWhat: 'arguments',
  hosts: 'A line for the hosts file, which leads all programs of this machine here',
  hostsWhat: 'line',
  noHosts: 'A hosts file works only with port 443:',
  noHostsCommand: 'coffer serve --as-hosted 443',
  authority:
    'The certificates are valid only for these names, and the keys that could sign others no longer exist. To be rid of them, turn this off or lock the vault: that closes the ports and removes the private folder in which programs find the certificates (see SECURITY.md).',
  connections: 'Connections',
  connectionsHelp:
    'The newest 50 kinds since this started. A program’s name is what it says about itself. Calls to other hosts are seen only if they use the proxy. Those of Node programs usually do not.',
  none: 'Nothing has come yet.',
  headings: {
    program: 'Program',
    called: 'Called',
    route: 'Route',
    outcome: 'Outcome',
    times: 'Times',
    last: 'Last',
  },
  unnamed: 'not given',
  routes,
  routeHelp,
  outcomes,
  allow: 'Allow…',
  allowHost: (host: string) => `Allow ${host}…`,
  action: 'Action',
} as const
