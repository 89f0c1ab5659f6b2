/** Null stands for a number that is still being counted. */
function formatTokenCount(n: number | null): string {
  if (n === null) return 'the selected tokens'
  return n === 1 ? '1 token' : `${n.toLocaleString('en')} tokens`
}

export const strings = {
  tokens: formatTokenCount,
  bar: 'Selected tokens',
  selected: (n: number | null) => (n === null ? 'All selected' : `${n.toLocaleString('en')} selected`),
  clear: 'Clear the selection',
  actions: {
    remove: 'Delete…',
    move: 'Move…',
    setMetadata: 'Set metadata…',
    removeMetadata: 'Remove metadata…',
    expire: 'Expiry…',
    exported: 'Export…',
    copyIds: 'Copy IDs',
  },
  busy: 'Other tokens are still being changed or deleted. Wait until that is done.',
  ownerOnly: 'Only the owner can export tokens.',
  mayNot: (name: string, permission: string) => `${name} does not have ${permission}.`,
  counting: 'Counting…',
  remove: {
    title: (n: number | null) => `Delete ${formatTokenCount(n)}?`,
    text: (n: number) =>
      n === 1
        ? 'The token is deleted after 10 seconds. Until then you can undo the deletion, and programs still see the token. After that, requests for its ID get a 404. Its log records stay.'
        : 'The tokens are deleted after 10 seconds. Until then you can undo the deletion, and programs still see the tokens. After that, requests for their IDs get a 404. Their log records stay.',
    action: (n: number) => `Delete ${formatTokenCount(n)}`,
  },
  move: {
    title: (n: number | null) => `Move ${formatTokenCount(n)}`,
    containers: 'Containers',
    help: 'These containers replace the current ones.',
    action: 'Move',
    missing: 'Enter at least one container',
  },
  setMetadata: {
    title: (n: number | null) => `Set metadata of ${formatTokenCount(n)}`,
    key: 'Key',
    value: 'Value',
    help: 'Other pairs stay. A value under the same key is replaced.',
    action: 'Set metadata',
    missing: 'Enter a key',
  },
  removeMetadata: {
    title: (n: number | null) => `Remove metadata from ${formatTokenCount(n)}`,
    key: 'Key',
    action: 'Remove metadata',
  },
  expire: {
    title: (n: number | null) => `Expiry of ${formatTokenCount(n)}`,
    at: 'Expires',
    help: 'A date, or a date and time with offset. Leave empty for no expiry.',
    action: (clear: boolean) => (clear ? 'Clear expiry' : 'Set expiry'),
  },
  exported: {
    title: (n: number | null) => `Export ${formatTokenCount(n)}`,
    text: 'The log records the export.',
  },
  copied: (n: number) => (n === 1 ? 'Copied 1 ID' : `Copied ${n.toLocaleString('en')} IDs`),
  strip: {
    waiting: (n: number) =>
      `${formatTokenCount(n)} will be deleted. Programs still see ${n === 1 ? 'it' : 'them'} until then; locking or quitting cancels the deletion.`,
    seconds: (n: number) => `${n} s`,
    undo: 'Undo',
    stop: 'Stop',
    dismiss: 'Dismiss',
    running: (verb: string, done: number, total: number) =>
      `${verb} ${done.toLocaleString('en')} of ${formatTokenCount(total)}`,
    spoken: (verb: string, total: number) => `${verb} ${formatTokenCount(total)}`,
    other: 'Selected tokens are being changed.',
    otherWaiting: (n: number) =>
      `${formatTokenCount(n)} will be deleted or changed. Stop now to keep ${n === 1 ? 'it' : 'them'} unchanged.`,
    undone: 'Undone. Nothing was deleted.',
    refused: (n: number) => `${n.toLocaleString('en')} refused:`,
    left: (n: number) => `${n.toLocaleString('en')} not processed.`,
    ids: 'IDs',
  },
  verbs: {
    delete: ['Deleting', 'Deleted'],
    move: ['Moving', 'Moved'],
    'set metadata': ['Setting metadata of', 'Set metadata of'],
    'remove metadata': ['Removing metadata from', 'Removed metadata from'],
    expire: ['Changing the expiry of', 'Changed the expiry of'],
  },
} as const
