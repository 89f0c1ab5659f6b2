export const strings = {
  language: 'Language',
  languages: {
    curl: 'curl',
    node: 'Node',
    'node-sdk': 'Node SDK',
    python: 'Python',
    go: 'Go',
    java: 'Java',
    php: 'PHP',
    ruby: 'Ruby',
    csharp: 'C#',
  },
  keyHint: '<application key>',
} as const
