import { Menu } from '@mantine/core'
import { useState } from 'react'
import { type SnippetLanguage, snippetLanguages } from '../../../shared/host/settings.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { formatRequest } from '../../parts/api/request-languages.ts'
import { strings as api } from '../../parts/api/strings.ts'
import { useBaseUrl } from '../../parts/connection/base-url.ts'
import { showFailureToast, showToast } from '../../parts/messages/toast.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { copySecret, copyText } from '../../ui/text/clipboard.ts'
import { useBuilder } from './builder-store.ts'
import { getVariables, useDrafts } from './drafts-store.ts'
import { formatTest, KEY_VARIABLE } from './format-test.ts'
import { listUsedVariables, quotePlaceholders, type RequestDraft, toHttpRequest } from './request-draft.ts'
import { strings } from './strings.ts'

const t = strings.copying

type Props = {
  readonly operation: ApiOperation
  readonly draft: RequestDraft
  /** The draft with its variables filled in. */
  readonly filled: RequestDraft
}

/**
 * Copies the request as code in any language, or as a test. Code has the key and the values of the environment only if
 * the owner asks for them.
 */
export function CopyMenu({ operation, draft, filled }: Props) {
  const { key, through, response } = useBuilder()
  const [includesKey, setIncludesKey] = useState(false)
  const [includesValues, setIncludesValues] = useState(false)
  const variables = listUsedVariables(draft, getVariables(useDrafts()))
  const withValues = variables.length > 0 && includesValues
  const base = useBaseUrl()
  const hasKey = through === 'listener' && key !== ''
  const withKey = hasKey && includesKey
  // SECURITY: the key is a secret, so code without it reads it from the environment. Values of variables may be secrets
  // too, so code without them has their placeholders.
  const copied = withValues ? filled : quotePlaceholders(draft)
  const request = toHttpRequest(operation, copied, base, withKey ? key : { variable: KEY_VARIABLE })
  const isUnread = operation.body !== null && filled.body.trim() !== '' && request.body === undefined
  const copyAs = async (language: SnippetLanguage) => {
    const name = api.languages[language]
    const text = formatRequest(language, request)
    await (withKey || withValues ? copySecret(text) : copyText(text))
    showToast(
      [
        withKey ? t.copiedWithKey(name) : t.copied(name, KEY_VARIABLE),
        ...(withKey || withValues ? [t.cleared] : []),
        ...(withValues || variables.length === 0 ? [] : [t.placeholders(variables)]),
      ].join(' '),
    )
  }
  const copyTest = async () => {
    await (withValues ? copySecret : copyText)(
      formatTest(operation, request, response?.status ?? operation.status),
    )
    showToast(t.copiedTest)
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionButton icon="copy" label={t.as} size="compact-sm" disabled={isUnread} />
      </Menu.Target>
      <Menu.Dropdown>
        {snippetLanguages.map((language) => (
          <Menu.Item key={language} onClick={() => copyAs(language).catch(showFailureToast)}>
            {api.languages[language]}
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => copyTest().catch(showFailureToast)}>{t.test}</Menu.Item>
        {variables.length > 0 && (
          <Menu.CheckboxItem checked={includesValues} closeMenuOnClick={false} onChange={setIncludesValues}>
            {t.withValues}
          </Menu.CheckboxItem>
        )}
        {hasKey && (
          <Menu.CheckboxItem checked={includesKey} closeMenuOnClick={false} onChange={setIncludesKey}>
            {t.withKey}
          </Menu.CheckboxItem>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
