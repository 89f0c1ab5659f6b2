export const strings = {
  title: 'Running code is off',
  text: 'A reactor is a program with network access. Coffer runs it in a process of its own, which cannot read your files or the vault, but it can send what it is given to anyone. Turn this on only for code you trust. Until then, reactors are stored, and calling one is answered with 403.',
  on: 'Turn on running code',
  isOn: 'Running code is on',
  settings: 'Open settings',
} as const
