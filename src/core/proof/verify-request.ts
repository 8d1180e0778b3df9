/** What `ralph verify` is asked to judge: the tree as it is now. */
export interface VerifyRequest {
  /** Only this gate; null: all of them. One gate alone proves nothing. */
  gate: string | null
  /** Judge against this commit; null: against the base. */
  since: string | null
  /** The gates only, where the tree lies. */
  quick: boolean
}
