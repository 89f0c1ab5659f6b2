/** What the help of the whole program and its manual both say. */

export const environment: readonly (readonly [name: string, meaning: string])[] = [
  ['COFFER_DATA_DIR', 'folder the vaults are kept in, as --data-dir'],
  ['COFFER_VAULT', 'name of the vault, as --vault'],
  ['COFFER_PASSPHRASE', 'passphrase or recovery key that opens the vault, or that a new vault gets'],
  ['COFFER_NEW_PASSPHRASE', 'new passphrase, for commands that change it'],
  ['COFFER_PORT', 'port to listen on, as --port'],
  ['COFFER_BASE_URL', 'base URL of a running Coffer, as --url'],
  ['COFFER_MANAGEMENT_KEY', 'management key for a running Coffer, as --key of reset and snapshot'],
  ['COFFER_PUSH_KEY', 'private key of the server to push to'],
  ['COFFER_PUSH_MANAGEMENT_KEY', 'management key of the server to push to'],
]

export const examples = `  coffer serve                           make or open the vault and listen on port 4747
  coffer keys create --type private      another application key
  coffer env >> .env                     point a program at it`

export const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'all went well; also coffer serve, stopped by Ctrl-C or SIGTERM'],
  ['1', 'it did not; the reason is one sentence on stderr'],
  ['2', 'the command line is wrong: a command, an option or a value'],
  ['130, 143', 'Ctrl-C, or SIGTERM, ended it'],
]

export const jsonErrors =
  'With --json an error is also one line on stdout: { "error": { "code": "…", "message": "…" } }. The code of a wrong command line is "usage".'
