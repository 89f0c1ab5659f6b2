import { Button, Checkbox, Group, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '../../../parts/forms/use-form.ts'
import { JobProblem, JobProgress } from '../../../parts/vaults/job-progress.tsx'
import { Section } from '../section.tsx'
import styles from '../settings.module.css'
import { ComparisonReport } from './comparison-report.tsx'
import { compareServer, useComparison } from './comparison-store.ts'
import { strings as t } from './strings.ts'

const initial = { url: 'https://api.test.basistheory.com', key: '', management: '', isTest: false }

/** Compares a tenant of the hosted service with Coffer. */
export function HostedSection() {
  const { isRunning, result, problem } = useComparison()
  return (
    <Section name="comparison" text={t.text}>
      <p className={styles.text}>{t.limits}</p>
      <ServerForm isRunning={isRunning} />
      <JobProgress job="conform" what={t.running} />
      <JobProblem error={problem} />
      {result && <ComparisonReport of={result} />}
    </Section>
  )
}

/** SECURITY: the keys live only in this form, and disappear with it. */
function ServerForm({ isRunning }: { isRunning: boolean }) {
  const form = useForm({
    initial,
    check: ({ key, isTest }) => ({
      ...(key.trim() === '' && { key: t.missing }),
      ...(!isTest && { isTest: t.notTest }),
    }),
    send: ({ url, key, management }) =>
      compareServer({ url: url.trim(), key, ...(management.trim() !== '' && { management }) }),
  })
  return (
    <form onSubmit={form.submit}>
      <TextInput label={t.url} description={t.urlHelp} spellCheck={false} {...form.text('url')} />
      <PasswordInput label={t.key} description={t.keysHelp} autoComplete="off" {...form.text('key')} />
      <PasswordInput
        label={t.management}
        description={t.managementHelp}
        autoComplete="off"
        {...form.text('management')}
      />
      <Checkbox
        mt="sm"
        label={t.isTest}
        checked={form.values.isTest}
        error={form.errors.isTest}
        onChange={(event) => form.change({ isTest: event.currentTarget.checked })}
      />
      <Group mt="sm">
        <Button type="submit" disabled={isRunning}>
          {t.compare}
        </Button>
      </Group>
    </form>
  )
}
