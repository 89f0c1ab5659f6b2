export const strings = {
  languages: { curl: 'curl', node: 'Node', python: 'Python' },
  keyHint: '<application key>',
} as const
