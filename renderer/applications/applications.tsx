/** Placeholder. */
export function Applications() {
  return (
    <div className="screen-head">
      <h1>Applications</h1>
    </div>
  )
}
