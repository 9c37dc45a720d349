/** Bare TCP servers on loopback, for what no HTTP library would do. */

export interface TcpServer extends AsyncDisposable {
  readonly port: number;
  /** What each connection has sent so far, oldest first. */
  received(): readonly string[];
}

/** Answers the first bytes of each connection with `reply` and closes it; without a reply stays silent. */
export function startTcp(reply?: string): TcpServer {
  const connections: { text: string }[] = [];
  const listener = Bun.listen<{ text: string }>({
    hostname: '127.0.0.1',
    port: 0,
    data: { text: '' },
    socket: {
      open(socket) {
        socket.data = { text: '' };
        connections.push(socket.data);
      },
      data(socket, bytes) {
        const isFirst = socket.data.text === '';
        socket.data.text += new TextDecoder().decode(bytes);
        if (isFirst && reply !== undefined) socket.end(reply);
      },
    },
  });
  return {
    port: listener.port,
    received: () => connections.map((one) => one.text),
    [Symbol.asyncDispose]: async () => listener.stop(true),
  };
}

/** A port of loopback that nobody listens on. */
export function closedPort(): number {
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: () => undefined },
  });
  listener.stop(true);
  return listener.port;
}
