import { createVaultStore } from '../../../parts/connection/store.ts'

export const useChosenFiles = createVaultStore<{ readonly files: readonly File[] }>(() => ({ files: [] }))

const { setState } = useChosenFiles

/** Adds files, without duplicates. */
export function chooseFiles(files: readonly File[]): void {
  setState(({ files: before }) => ({
    files: [...before, ...files.filter((file) => !before.some((each) => isSame(each, file)))],
  }))
}

export function removeFile(file: File): void {
  setState(({ files }) => ({ files: files.filter((each) => each !== file) }))
}

export function clearFiles(): void {
  setState({ files: [] })
}

function isSame(a: File, b: File): boolean {
  return a.name === b.name && a.size === b.size && a.lastModified === b.lastModified
}
