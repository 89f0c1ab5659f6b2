export const strings = {
  text: 'The vault’s protection and its encryption keys. Tokens and application keys stay the same.',
  memory:
    'An in-memory vault has no recovery key, and its keys exist only until it is locked or Coffer stops, so there is nothing to change. In a stored vault you can change all of them.',
  protection: {
    title: (protection: 'keychain' | 'passphrase') =>
      protection === 'keychain' ? 'Protected by the keychain' : 'Protected by a passphrase',
    text: {
      keychain:
        'The vault opens without a passphrase while you are signed in to this machine. Use a passphrase instead if others use your account.',
      passphrase:
        'Choose another passphrase if someone may know this one, or use the keychain to open the vault without a passphrase.',
    },
    action: 'Change…',
    dialog: 'Change vault protection',
    labels: { first: 'New passphrase', again: 'Confirm new passphrase' },
    note: 'The recovery key stays the same. The database is copied under a new master secret, so the current protection will open only existing backups. Write requests wait until the copy is complete.',
    running: 'Rewriting the database',
    submit: { keychain: 'Use the keychain', passphrase: 'Use this passphrase' },
    changed: 'Passphrase changed',
    moved: {
      keychain: 'The keychain now opens the vault',
      passphrase: 'The passphrase now opens the vault',
    },
  },
  recovery: {
    title: 'Recovery key',
    text: 'Opens the vault on any machine when all else is lost. Create a new one if you cannot find yours or someone else may have read it.',
    action: 'New recovery key…',
  },
  renew: {
    dialog: 'New recovery key',
    caution: 'Your current recovery key will no longer open this vault, only existing backups.',
    note: {
      keychain:
        'The new key is shown only once, and takes effect after you have saved it. The keychain will still open the vault. Write requests wait until the database is copied under a new master secret.',
      passphrase:
        'The new key is shown only once, and takes effect after you have saved it. The passphrase stays the same. Write requests wait until the database is copied under a new master secret.',
    },
    running: 'Rewriting the database',
    submit: 'Create a new recovery key',
    done: 'The new recovery key is in effect',
  },
  data: {
    title: 'Data key',
    text: 'Re-encrypts every token under a new key while programs keep working. Do it as often as your policies require, such as once a year.',
    action: 'Rotate data key',
    seals: (seals: number) =>
      seals === 1
        ? 'This key has encrypted 1 value.'
        : `This key has encrypted about ${seals.toLocaleString('en')} values.`,
    due: 'This key has encrypted so many values that a new one is due. If the number reaches 4,294,967,296, Coffer rotates the key when the vault is next opened.',
    running: 'Re-encrypting every token',
    done: 'Everything is encrypted under a new data key',
  },
  master: {
    title: 'Master secret',
    text: 'Replaces the secret that protects all other keys, and with it the recovery key and the keys of the database file and of searches. Do it if someone may have obtained the vault’s file and a way to open it.',
    action: 'Change master secret…',
  },
  changeMaster: {
    dialog: 'Change the master secret',
    caution: 'Your current recovery key will no longer open this vault, only existing backups.',
    note: {
      keychain: 'The keychain will still open the vault. Write requests wait until the change is complete.',
      passphrase: 'The passphrase stays the same. Write requests wait until the change is complete.',
    },
    fingerprints: 'Also change every fingerprint',
    fingerprintsHelp:
      'Programs can no longer find tokens by fingerprints that they stored. Needed only if someone may have obtained the vault’s file and a way to open it.',
    running: 'Rewriting the database',
    submit: 'Change master secret',
    done: 'The vault has a new master secret and recovery key',
  },
} as const
