import { useEffect, useRef, useState } from 'react'

/** Takes files that are dropped anywhere in the window; returns whether some are being dragged over it. */
export function useFileDrop(onFiles: ((files: readonly File[]) => void) | null): boolean {
  const [over, setOver] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true
    const handleDragOver = (event: DragEvent) => {
      if (!hasFiles(event)) return
      // A file that nobody takes would replace the page.
      event.preventDefault()
      setOver(latest.current !== null)
    }
    const handleDragLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const handleDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length > 0) latest.current?.(files)
    }
    window.addEventListener('dragover', handleDragOver)
    window.addEventListener('dragleave', handleDragLeave)
    window.addEventListener('drop', handleDrop)
    return () => {
      window.removeEventListener('dragover', handleDragOver)
      window.removeEventListener('dragleave', handleDragLeave)
      window.removeEventListener('drop', handleDrop)
    }
  }, [])
  return over
}
