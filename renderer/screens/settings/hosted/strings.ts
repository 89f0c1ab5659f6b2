import { formatCount } from '../../../../shared/format-count.ts'

export const strings = {
  compare: 'Compare with the hosted service',
  text: 'Checks what a test tenant of the hosted service answers against what its documents say, and against what Coffer does where they are silent. Test cards and made-up values are sent, never a value of this vault. Everything that is created is deleted again.',
  limits: 'It takes some minutes, because a test tenant may send only few requests a second.',
  url: 'Base URL',
  urlHelp: 'Its host must be among the allowed destinations.',
  key: 'Private key',
  management: 'Management key',
  managementHelp: 'Without it, many statements are skipped.',
  keysHelp: 'The keys are used for this run only, and stored nowhere.',
  isTest: 'These keys belong to a test tenant',
  notTest: 'Confirm that this is a test tenant.',
  missing: 'Enter a key.',
  running: 'Comparing',
  none: 'No difference was found.',
  savePage: 'Save as a page',
  saveTemplate: 'Save to send',
  saveJson: 'Save as JSON',
  skipped: (count: number, reason: string) => `${count} skipped because ${reason}.`,
  left: (count: number) =>
    `${formatCount(count, 'resource')} could not be deleted. The next run with the same keys tries again.`,
  at: 'Place',
  counts: (holds: number, differs: number, of: number) =>
    `Of ${of} statements, ${holds} hold and ${differs} differ.`,
  parts: {
    documents: 'Differs from the documents',
    decisions: 'The documents are silent',
    unanswered: 'Not answered',
  },
  coffer: 'Coffer',
  server: 'The service',
  expected: 'Expected',
  received: 'Received',
} as const
