package azure

import "context"

// hold waits until nobody else of this process writes the object, and returns what
// lets the next one in.
func (c *Cloud) hold(ctx context.Context, object string) (func(), error) {
	for {
		c.mu.Lock()
		busy, taken := c.writing[object]
		if !taken {
			done := make(chan struct{})
			c.writing[object] = done
			c.mu.Unlock()
			return func() {
				c.mu.Lock()
				delete(c.writing, object)
				c.mu.Unlock()
				close(done)
			}, nil
		}
		c.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
