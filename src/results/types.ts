/** A result as the model gets it. */

export interface SavedArtifact {
  readonly path: string;
  readonly mimeType: string;
  readonly bytes: number;
}

export interface RenderedResult {
  /** Never empty, valid Unicode, no control sequences, at most the bound. */
  readonly text: string;
  readonly isError: boolean;
  readonly artifacts: readonly SavedArtifact[];
  /** Characters left out by the bound; 0 when whole. */
  readonly omittedCharacters: number;
}
