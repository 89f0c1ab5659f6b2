export const strings = { undo: 'Undo', undone: 'Undone' } as const
