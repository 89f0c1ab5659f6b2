export const strings = {
  ways: { curl: 'curl', node: 'Node', python: 'Python' },
  keyHint: '<application key>',
} as const
