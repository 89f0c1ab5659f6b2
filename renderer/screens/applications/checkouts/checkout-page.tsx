import { Group } from '@mantine/core'
import type { Checkout } from '../../../../shared/schemas/checkout.ts'
import { useProxies } from '../../../parts/access/resource-lists.ts'
import { LanguageSelect, useLanguage } from '../../../parts/api/request-snippet.tsx'
import { LightList } from '../../../parts/checkouts/light-list.tsx'
import { strings as lightStrings } from '../../../parts/checkouts/strings.ts'
import { useBaseUrl } from '../../../parts/connection/base-url.ts'
import { LinkButton } from '../../../parts/navigation/link-button.tsx'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { IconButton } from '../../../ui/icon-buttons.tsx'
import { PanelSection } from '../../../ui/panel.tsx'
import { Code } from '../../../ui/text/code.tsx'
import { saveText } from '../../../ui/text/save-text.ts'
import { ListenerOff } from '../connect.tsx'
import {
  type CheckoutKeys,
  formatCheckoutEnv,
  getPort,
  pageText,
  programLanguages,
  programs,
  toProgramLanguage,
} from './programs.ts'
import { strings as t } from './strings.ts'

type Props = {
  readonly checkout: Checkout
  /** The keys, which are shown only right after they were created. */
  readonly keys?: CheckoutKeys
  readonly isCopied?: boolean
  readonly onCopied?: () => void
}

/** Everything that a checkout needs: its variables, its page, its server, and a light for each part that was used. */
export function CheckoutPage({ checkout, keys, isCopied = false, onCopied }: Props) {
  const language = toProgramLanguage(useLanguage())
  const { file, text, run } = programs[language]
  return (
    <>
      <PanelSection title={lightStrings.lights}>
        <LightList checkout={checkout} />
        <ListenerOff mt={8} />
      </PanelSection>
      <PanelSection title={t.env}>
        {keys && <p role="status">{isCopied ? t.kept : t.once}</p>}
        <EnvCode checkout={checkout} keys={keys ?? null} {...(onCopied && { onCopied })} />
        {!keys && <NewKeys checkout={checkout} />}
      </PanelSection>
      <PanelSection title="page.html" aside={<SaveButton file="page.html" text={pageText} />}>
        <Code text={pageText} what="page.html" />
      </PanelSection>
      <PanelSection
        title={file}
        aside={
          <Group gap="xs">
            <LanguageSelect languages={programLanguages} value={language} />
            <SaveButton file={file} text={text} />
          </Group>
        }
      >
        <Code text={text} what={file} />
      </PanelSection>
      <PanelSection title={t.run}>
        <p className="note">{t.runHelp(checkout.origin)}</p>
        <Code text={run(getPort(checkout))} what={t.run} />
      </PanelSection>
    </>
  )
}

type EnvCodeProps = {
  readonly checkout: Checkout
  readonly keys: CheckoutKeys | null
  readonly onCopied?: () => void
}

function EnvCode({ checkout, keys, onCopied }: EnvCodeProps) {
  const url = useBaseUrl()
  const { rows: proxies } = useProxies()
  const proxyKey = proxies.find(({ id }) => id === checkout.proxy_id)?.key ?? ''
  return (
    <Code
      text={formatCheckoutEnv(checkout, { url, proxyKey, keys })}
      what={t.env}
      secret={keys !== null}
      {...(onCopied && { onCopied })}
    />
  )
}

function NewKeys({ checkout: { page_id, server_id } }: { checkout: Checkout }) {
  return (
    <p className="note">
      {t.newKey} <LinkButton to={toHref('applications', page_id)} label={lightStrings.names.page} /> {t.or}{' '}
      <LinkButton to={toHref('applications', server_id)} label={lightStrings.names.server} />.
    </p>
  )
}

function SaveButton({ file, text }: { file: string; text: string }) {
  return <IconButton icon="download" label={t.save(file)} onClick={() => saveText(file, text)} hasTooltip />
}
