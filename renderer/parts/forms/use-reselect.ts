import { type RefObject, useEffect, useRef } from 'react'

/** Selects the text of a field after each failure, so that typing replaces it. */
export function useReselect(problem: unknown): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (problem !== null) field.current?.select()
  }, [problem])
  return field
}
