import { Button, FileButton } from '@mantine/core'
import { type DragEvent, useEffect, useState } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { strings } from './strings.ts'
import styles from './transfer.module.css'

const t = strings.import
const accepted = '.csv,.ndjson,.jsonl'

/** An area to choose or drop a file. */
export function DropFile({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
  const [over, setOver] = useState(false)
  useEffect(() => {
    // Without this, the browser would open a file dropped outside this area in place of the page.
    const preventNavigation = (event: Event) => event.preventDefault()
    window.addEventListener('dragover', preventNavigation)
    window.addEventListener('drop', preventNavigation)
    return () => {
      window.removeEventListener('dragover', preventNavigation)
      window.removeEventListener('drop', preventNavigation)
    }
  }, [])
  const handleDrag = (event: DragEvent, isOver: boolean) => {
    event.preventDefault()
    setOver(isOver)
  }
  return (
    <fieldset
      aria-label={t.title}
      className={over ? `${styles.drop} ${styles.dropOver}` : styles.drop}
      onDragOver={(event) => handleDrag(event, true)}
      onDragLeave={(event) => handleDrag(event, false)}
      onDrop={(event) => {
        handleDrag(event, false)
        const [file] = event.dataTransfer.files
        if (file) onFile(file)
      }}
    >
      <Icon name="download" size={18} />
      <ChooseFile label={t.choose} busy={busy} onFile={onFile} />
      <span className="faint">{t.drop}</span>
    </fieldset>
  )
}

export function ChooseFile({
  label,
  busy,
  onFile,
}: {
  label: string
  busy: boolean
  onFile: (file: File) => void
}) {
  return (
    <FileButton accept={accepted} onChange={(file) => file && onFile(file)}>
      {(props) => (
        <Button variant="default" disabled={busy} {...props}>
          {label}
        </Button>
      )}
    </FileButton>
  )
}
