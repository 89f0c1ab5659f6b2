export const strings = {
  text: 'What opens the vault, and the keys it is sealed with. Tokens and the keys of applications stay as they are.',
  memory:
    'A vault in memory has no file and no recovery key: its keys are made when it is and gone when Coffer stops, so there is nothing to change. A vault that is kept can change all of them.',
  protection: {
    title: (kept: 'keychain' | 'passphrase') =>
      kept === 'keychain' ? 'Opened by the keychain' : 'Opened by a passphrase',
    text: {
      keychain:
        'The vault opens without typing while you are signed in to this machine. Take a passphrase instead where others use your account.',
      passphrase:
        'Take another passphrase when somebody may know this one, or the keychain to open the vault without typing.',
    },
    action: 'Change…',
    dialog: 'Change what opens the vault',
    labels: { first: 'New passphrase', again: 'New passphrase again' },
    note: 'The recovery key stays. What opened the vault until now still opens backups made before.',
    submit: { keychain: 'Use the keychain', passphrase: 'Use this passphrase' },
    changed: 'The passphrase is changed',
    moved: {
      keychain: 'The keychain opens the vault from now on',
      passphrase: 'The passphrase opens the vault from now on',
    },
  },
  recovery: {
    title: 'Recovery key',
    text: 'Opens the vault on any machine when all else is lost. Make a new one when you cannot find yours, or somebody else may have read it.',
    action: 'New recovery key…',
  },
  renew: {
    dialog: 'New recovery key',
    caution: 'The recovery key you have now will no longer open this vault, only backups made before.',
    note: 'The new one is shown once, to be saved or printed. Nothing else changes.',
    submit: 'Make a new recovery key',
    done: 'The new recovery key is in force',
  },
  data: {
    title: 'Data key',
    text: 'Seals every token anew under a fresh key while programs go on working. Do it as often as your rules ask, such as once a year.',
    action: 'Rotate data key',
    running: 'Sealing every token anew',
    done: 'Everything is sealed under a new data key',
  },
  master: {
    title: 'Master secret',
    text: 'Replaces the secret behind everything, and with it the key of the database file and the recovery key. Do it when somebody may have had the vault’s file and what opens it.',
    action: 'Change master secret…',
  },
  changeMaster: {
    dialog: 'Change the master secret',
    caution: 'The recovery key you have now will no longer open this vault, only backups made before.',
    note: {
      keychain: 'The keychain goes on opening it. Requests that write wait until it is done.',
      passphrase: 'The passphrase stays. Requests that write wait until it is done.',
    },
    passphrase: 'Passphrase of the vault',
    running: 'Writing the database anew',
    submit: 'Change it',
    done: 'The vault has a new master secret and recovery key',
  },
} as const
