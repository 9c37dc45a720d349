/** What a connection needs from outside. */
import type { TransportPorts } from '../transport/create.ts';

export interface ConnectionPorts extends TransportPorts {
  /** Our working directory, absolute: the root that servers are told. */
  readonly cwd: string;
  /** Our version, as servers are told. */
  readonly version: string;
}
