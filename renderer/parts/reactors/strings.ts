export const strings = {
  title: 'Running code is off',
  text: 'A reactor is a program with network access. Coffer runs it in a separate process, which cannot read your files or the vault but can send its input to anyone. Turn on running code only for code that you trust. While it is off, you can store reactors, but calls to them get a 403.',
  on: 'Turn on running code',
  isOn: 'Running code is on',
  settings: 'Open settings',
} as const
