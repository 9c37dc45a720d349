/** A plain no to a server's request, with the code it is answered with. */
import { FailedError } from '../../base/errors.ts';

/** JSON-RPC 2.0, 5.1. */
export const INVALID_PARAMS = -32602;
export const INTERNAL_FAULT = -32603;
/** What MCP 2025-11-25 shows for a sampling request that the person rejected. */
export const USER_REJECTED = -1;

export class RefusedRequest extends FailedError {
  readonly rpcCode: number;

  constructor(rpcCode: number, message: string) {
    super(message);
    this.rpcCode = rpcCode;
  }
}
