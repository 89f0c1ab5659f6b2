import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useOperations } from '../../parts/api/operations.ts'
import { useBaseUrl } from '../../parts/connection/base-url.ts'
import { useSession } from '../../parts/connection/session.ts'
import { confirmLeave } from '../../parts/navigation/unsaved.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { MonoArea } from '../../ui/fields/mono-fields.tsx'
import formStyles from '../../ui/form.module.css'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { prefillRequest, useBuilder } from './builder-store.ts'
import { importCurl } from './import-curl.ts'
import { CurlImportError } from './shell-words.ts'
import { strings } from './strings.ts'

const t = strings.importing

type Props = {
  /** The command to begin with; empty for none. */
  readonly command: string
  readonly onClose: () => void
  readonly onPick: (op: string) => void
}

/** Fills the form from a pasted curl command. */
export function ImportDialog({ command, onClose, onPick }: Props) {
  const [line, setLine] = useState(command)
  const [problem, setProblem] = useState<string | null>(null)
  const { operations } = useOperations()
  const base = useBaseUrl()
  const hosts = useSession(({ status }) => status?.settings.hosts)

  function importLine(): void {
    try {
      const { operation, draft, key, notes } = importCurl(line, { operations, base, hosts: hosts ?? [] })
      confirmLeave(() => {
        useBuilder.setState({ through: 'listener', ...(key !== '' && { key }) })
        prefillRequest(operation.id, draft, notes)
        onPick(operation.id)
        onClose()
      })
    } catch (error) {
      if (!(error instanceof CurlImportError)) throw error
      setProblem(error.message)
    }
  }

  return (
    <Dialog title={t.title} size="lg" onClose={onClose}>
      <form
        className={formStyles.root}
        onSubmit={(event) => {
          event.preventDefault()
          importLine()
        }}
      >
        <MonoArea
          data-autofocus
          label={t.line}
          description={t.help}
          minRows={5}
          maxRows={14}
          value={line}
          onChange={(event) => {
            setLine(event.currentTarget.value)
            setProblem(null)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) importLine()
          }}
        />
        {problem !== null && <Failure>{problem}</Failure>}
        <Group justify="flex-end" gap="xs">
          <ActionButton label={t.cancel} onClick={onClose} />
          <Button type="submit" disabled={line.trim() === ''}>
            {t.take}
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
