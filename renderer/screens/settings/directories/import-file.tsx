import { Button, FileButton, Group, Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import { sentenceOf } from '../../../parts/messages/sentence.ts'
import { toast } from '../../../parts/messages/toast.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Failure } from '../../../ui/failure.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { useOnce } from '../../../ui/use-once.ts'
import { strings } from './strings.ts'

const t = strings.import

type Report = {
  readonly entries: number
  readonly refused_lines: number
  readonly refused: readonly { readonly line: number; readonly message: string }[]
}

type Props = {
  readonly label: string
  readonly onImport: (csv: string, dry_run: boolean) => Promise<Report>
  readonly onDone: () => Promise<void>
}

const SHOWN = 8

/** Takes a CSV file: says what it would do, then does it. */
export function ImportFile({ label, onImport, onDone }: Props) {
  const [csv, setCsv] = useState<string | null>(null)
  const [report, setReport] = useState<Report | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const asked = useRef(0)
  async function check(file: File | null) {
    if (!file) return
    const mine = ++asked.current
    setProblem(null)
    setReport(null)
    try {
      const text = await file.text()
      setCsv(text)
      const found = await onImport(text, true)
      // Another file may have been chosen meanwhile.
      if (mine === asked.current) setReport(found)
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  const take = useOnce(async () => {
    if (csv === null) return
    setProblem(null)
    try {
      const { entries } = await onImport(csv, false)
      await onDone()
      setCsv(null)
      toast(t.done(entries.toLocaleString('en')))
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  })
  return (
    <>
      <FileButton accept=".csv,text/csv" onChange={check}>
        {(props) => (
          <Button variant="default" {...props}>
            {label}
          </Button>
        )}
      </FileButton>
      {csv !== null && (
        <Dialog onClose={() => setCsv(null)} title={t.title} size={480}>
          <Stack gap="sm">
            {!report && problem === null && <span className="dim">{t.checking}</span>}
            {report && (
              <span>{report.entries === 0 ? t.nothing : t.check(report.entries.toLocaleString('en'))}</span>
            )}
            {report && report.refused_lines > 0 && (
              <div>
                <span>{t.refused(report.refused_lines.toLocaleString('en'))}</span>
                <ul className="refused-lines">
                  {report.refused.slice(0, SHOWN).map(({ line, message }) => (
                    <li key={line}>{t.line(line, message)}</li>
                  ))}
                </ul>
              </div>
            )}
            {problem !== null && <Failure>{problem}</Failure>}
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setCsv(null)}>
                {ui.cancel}
              </Button>
              {report && (
                <Button disabled={report.entries === 0} onClick={take} data-autofocus>
                  {t.action(report.entries.toLocaleString('en'))}
                </Button>
              )}
            </Group>
          </Stack>
        </Dialog>
      )}
    </>
  )
}
