/** The environment variables, with their meanings, for the help and the manual page. */

export const environment: readonly (readonly [name: string, meaning: string])[] = [
  ['COFFER_DATA_DIR', 'folder that holds the vaults, same as --data-dir'],
  ['COFFER_VAULT', 'name of the vault, same as --vault'],
  ['COFFER_PASSPHRASE', 'passphrase or recovery key that opens the vault; passphrase of a new vault'],
  ['COFFER_NEW_PASSPHRASE', 'new passphrase, for commands that change it'],
  ['COFFER_PASSPHRASE_FILE', 'file whose first line is used as COFFER_PASSPHRASE'],
  ['COFFER_NEW_PASSPHRASE_FILE', 'file whose first line is used as COFFER_NEW_PASSPHRASE'],
  ['COFFER_PORT', 'port to listen on, same as --port'],
  ['COFFER_PUBLISHED_PORT', 'port that is forwarded to Coffer, same as --published-port'],
  ['COFFER_BASE_URL', 'base URL of a running Coffer, same as --url'],
  ['COFFER_CONTEXT', 'name of a context of coffer context, instead of the current one'],
  ['COFFER_API_KEY', 'private key that coffer api sends'],
  ['COFFER_PUBLIC_KEY', 'public key that coffer api sends'],
  ['COFFER_MANAGEMENT_KEY', 'management key for a running Coffer, same as --key of reset and snapshot'],
  ['COFFER_PUSH_KEY', 'private key of the server to push to'],
  ['COFFER_PUSH_MANAGEMENT_KEY', 'management key of the server to push to'],
  ['COFFER_CONFORM_KEY', 'private key of the server to check; for coffer compare, two with a comma'],
  ['COFFER_CONFORM_MANAGEMENT_KEY', 'management key of that server, or of both'],
]

export const examples = `  coffer serve                           create or open the vault and listen on port 4747
  coffer keys create --type private      another application key
  coffer api /v2/tokens                  send a request, with a key filled in
  coffer env >> .env                     point a program at it`

export const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'success, also when coffer serve or coffer webhooks listen is stopped'],
  ['1', 'failure; the reason is one sentence on stderr'],
  ['2', 'usage error: a wrong command, option or value'],
  ['130, 143', 'stopped by Ctrl-C or SIGTERM'],
]

export const jsonErrors =
  'With --json, an error is also one line on stdout: { "error": { "code": "…", "message": "…" } }. The code of a usage error is "usage".'

/** The commands without --json, each with the reason. Every other command that does something has the option. */
export const withoutJson: Readonly<Record<string, string>> = {
  run: 'Standard output belongs to the program that it runs.',
  config: 'It prints a file in YAML, or a schema, which is JSON.',
  completion: 'It prints a script for a shell.',
  man: 'It prints a manual page.',
}

/** The option of commands whose output is JSON anyway. */
export const jsonFailures = ['--json', 'print failures also as one line of JSON for programs'] as const

/** Help text of the commands that work while the vault is open. */
export const whileOpen = 'Except on Windows, the vault may be open in coffer serve or in the window.'

export const keepMasterHelp =
  'change only vault.json, without copying the database; older copies of vault.json still open the vault'
