export const strings = {
  broken: {
    panel: 'Not shown',
    text: 'This panel could not be shown because of an error in the window. The rest of the window works.',
    whileDisconnected:
      'This panel could not be loaded because Coffer did not respond. It opens when Coffer is back.',
    details: 'details',
    copy: 'Copy details',
  },
  row: { open: 'Open', copyId: 'Copy ID', copied: 'Copied the ID', edit: 'Edit', remove: 'Delete' },
} as const
