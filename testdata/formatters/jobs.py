import os, sys
from typing import Dict,List
LIMITS = { 'small':10,'large': 0XAB, "ratio" : 1.5E3 }
def run(name, command, environment = None, timeout=30, retries = 3, verbose=False, directory='.'):
    '''Run a command, and say what became of it.'''
    settings = {'name': name, 'command': command, 'environment': environment or {}, 'timeout': timeout}
    if not command or retries<0 :
        raise ValueError('nothing to run: %s (of %d)' % (name,retries))
    total=sum([ job ['size'] for job in settings.get('jobs', []) if job['size']>LIMITS['small'] and not job.get('hidden') ])
    #a comment without a blank
    assert isinstance(total, int), 'the total should be a number, and it is not: {}'.format(total)
    return { key : value for key,value in settings.items() if value is not None }, total ** 2, directory[1:], verbose
class Queue( object ):
    items: List[ str ] = []
    def push(self,item): self.items.append(item); return len( self.items )
    def text(self): return u'queue of ' + str( len(self.items) ) + ", it's long"
